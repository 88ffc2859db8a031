public import Etcd
import Foundation
import ProcessTesting
import TestSupport

/// A certificate authority for a test, and the certificates that it signed, made with openssl.
public final class TestCertificates: Sendable {
    /// Whether openssl is installed.
    public static let arePossible = FileManager.default.isExecutableFile(atPath: program)
    /// The reason why tests are skipped if it isn't.
    public static let missing = "openssl is not installed"
    private static let program = "/usr/bin/openssl"

    private let directory = TemporaryDirectory()

    /// The kinds of client certificates.
    public enum Client: String, Sendable {
        /// Without a common name, as for daemons.
        case nameless
        /// With a common name.
        case named
        /// For servers only.
        case server
    }

    /// Makes an authority and a certificate for the members.
    ///
    /// - Parameter subject: the subject of the members' certificate in openssl's notation.
    public init(ofMembers subject: String = "/O=member") throws {
        try run(["req", "-x509"] + Self.newKey + ["-subj", "/O=authority", "-keyout", path("ca.key"), "-out", path("ca.pem")])
        try sign("member", subject)
        try sign(Client.nameless.rawValue, "/O=client")
        try sign(Client.named.rawValue, "/O=client/CN=todod")
        try sign(Client.server.rawValue, "/O=client", for: "serverAuth")
    }

    /// The certificates of a client and the authority that it trusts.
    public func of(_ client: Client = .nameless) -> EtcdOptions.Certificates {
        let name = client.rawValue
        return EtcdOptions.Certificates(authorities: path("ca.pem"), own: (path("\(name).pem"), path("\(name).key")))
    }

    /// The same as the settings of a daemon.
    public func settings(of client: Client = .nameless) -> [String: String] {
        let certificates = of(client)
        return [
            "TODOD_CLUSTER_CA_FILE": certificates.authorities ?? "",
            "TODOD_CLUSTER_CERTIFICATE_FILE": certificates.own?.certificate ?? "",
            "TODOD_CLUSTER_KEY_FILE": certificates.own?.key ?? "",
        ]
    }

    var memberFlags: [String] {
        [
            "--cert-file", path("member.pem"), "--key-file", path("member.key"), "--trusted-ca-file", path("ca.pem"),
            "--client-cert-auth",
        ]
    }

    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]

    private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

    private func sign(_ name: String, _ subject: String, for usages: String = "serverAuth,clientAuth") throws {
        try directory.write("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=\(usages)\n", to: "extensions")
        let key = Self.newKey.dropLast(2)
        try run(["req", "-new"] + key + ["-subj", subject, "-keyout", path("\(name).key"), "-out", path("\(name).csr")])
        try run([
            "x509", "-req", "-in", path("\(name).csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-CAcreateserial",
            "-days", "2", "-extfile", path("extensions"), "-out", path("\(name).pem"),
        ])
    }

    private func run(_ arguments: [String]) throws {
        let outcome = try Command.run([Self.program] + arguments)
        guard outcome.end == .exit(0) else { throw Failed(arguments: arguments) }
    }

    /// An openssl command failed.
    public struct Failed: Error {
        var arguments: [String]
    }
}

public import Etcd
import Foundation
import TestSupport

/// An authority of its own for a test, and what it signed, made with openssl.
public final class TestCertificates: Sendable {
    /// Whether they can be made here.
    public static let arePossible = FileManager.default.isExecutableFile(atPath: program)
    /// What is said where they can't.
    public static let missing = "openssl is not installed"
    private static let program = "/usr/bin/openssl"

    private let directory = TemporaryDirectory()

    /// Makes an authority, and a certificate for the members.
    ///
    /// - Parameter subject: whom that of the members names, as openssl writes it.
    public init(ofMembers subject: String = "/O=member") throws {
        try run(["req", "-x509"] + Self.newKey + ["-subj", "/O=authority", "-keyout", path("ca.key"), "-out", path("ca.pem")])
        try directory.write("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n", to: "extensions")
        try sign("member", subject)
        try sign("client", "/O=client")
        try sign("named", "/O=client/CN=todod")
    }

    /// What a client shows: the one without a common name, or the one with it.
    public func ofClient(named isNamed: Bool = false) -> EtcdOptions.Certificates {
        let name = isNamed ? "named" : "client"
        return EtcdOptions.Certificates(authorities: path("ca.pem"), own: (path("\(name).pem"), path("\(name).key")))
    }

    var memberFlags: [String] {
        [
            "--cert-file", path("member.pem"), "--key-file", path("member.key"), "--trusted-ca-file", path("ca.pem"),
            "--client-cert-auth",
        ]
    }

    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]

    private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

    private func sign(_ name: String, _ subject: String) throws {
        let key = Self.newKey.dropLast(2)
        try run(["req", "-new"] + key + ["-subj", subject, "-keyout", path("\(name).key"), "-out", path("\(name).csr")])
        try run([
            "x509", "-req", "-in", path("\(name).csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-CAcreateserial",
            "-days",
            "2", "-extfile", path("extensions"), "-out", path("\(name).pem"),
        ])
    }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(arguments: arguments) }
    }

    /// openssl refused to do something.
    public struct Failed: Error {
        var arguments: [String]
    }
}

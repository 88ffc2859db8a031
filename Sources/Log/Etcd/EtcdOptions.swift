internal import Curl

public struct EtcdOptions: Sendable {
    public struct Certificates: Sendable {
        /// File with the authorities that sign the members' certificates; `nil`: those of the system.
        public var authorities: String?
        /// Files with the certificate of this client and its key; `nil`: none.
        public var own: (certificate: String, key: String)?

        public init(authorities: String? = nil, own: (certificate: String, key: String)? = nil) {
            self.authorities = authorities
            self.own = own
        }
    }

    public struct User: Sendable {
        public var name: String
        public var password: String

        public init(name: String, password: String) {
            self.name = name
            self.password = password
        }
    }

    /// The members, each as `host:port`; at least one.
    public var endpoints: [String]
    public var isEncrypted: Bool
    public var certificates: Certificates
    /// `nil`: no authentication.
    public var user: User?
    /// Maximum silence of a member during a request; when a leader dies, the others elect a new one within a second.
    public var requestTimeMax: Duration
    public var connectTimeMax: Duration

    public init(
        endpoints: [String], isEncrypted: Bool = false, certificates: Certificates = Certificates(), user: User? = nil,
        requestTimeMax: Duration = .milliseconds(1_000), connectTimeMax: Duration = .milliseconds(250)
    ) {
        precondition(!endpoints.isEmpty, "a cluster has at least one member")
        (self.endpoints, self.isEncrypted, self.certificates, self.user) = (endpoints, isEncrypted, certificates, user)
        (self.requestTimeMax, self.connectTimeMax) = (requestTimeMax, connectTimeMax)
    }
}

extension EtcdOptions.Certificates {
    var files: HTTPCertificates { HTTPCertificates(authorities: authorities, own: own) }

    /// Throws if a file can't be read or the key does not belong to the certificate; it makes no connection.
    public func check() throws(EtcdError) {
        switch files.check() {
        case .unusableAuthorities:
            throw .untrusted(.authorities, "\(authorities ?? "") can't be read, or is not a PEM file of certificates")
        case .unusableCertificate:
            let (certificate, key) = own ?? ("", "")
            throw .untrusted(
                .certificate,
                "\(key) is not the key of the certificate \(certificate), or one of them can't be read or is not a PEM file")
        default: break
        }
    }
}

extension EtcdOptions {
    /// Timeout for a connection to a host name, whose second address is tried 250 ms after the first.
    var connectionTimeMax: Duration {
        let areNumbers = endpoints.allSatisfy { $0.hasPrefix("[") || $0.utf8.allSatisfy { !(0x41...0x7A).contains($0) } }
        return areNumbers ? connectTimeMax : connectTimeMax + .milliseconds(250)
    }
}

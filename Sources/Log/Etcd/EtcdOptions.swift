internal import Curl

/// Where the members of an etcd cluster are, and how they are asked.
public struct EtcdOptions: Sendable {
    /// The files by which both sides know each other.
    public struct Certificates: Sendable {
        /// The authorities that sign the members' certificates, as a file; `nil`: those of the system.
        public var authorities: String?
        /// The certificate of this client and its key, as files; `nil`: it shows none.
        public var own: (certificate: String, key: String)?

        /// Names the files.
        public init(authorities: String? = nil, own: (certificate: String, key: String)? = nil) {
            self.authorities = authorities
            self.own = own
        }
    }

    public struct User: Sendable {
        public var name: String
        public var password: String

        /// Names a user.
        public init(name: String, password: String) {
            self.name = name
            self.password = password
        }
    }

    /// The members, each as `host:port`; at least one.
    public var endpoints: [String]
    /// Whether they are asked over TLS.
    public var isEncrypted: Bool
    /// What TLS needs.
    public var certificates: Certificates
    /// Who asks; `nil`: anybody.
    public var user: User?
    /// How long one request may take at one member.
    ///
    /// Of a leader that died nobody hears; the others have elected a new one within a second.
    public var requestTimeMax: Duration
    /// How long it may take until a member lets itself be connected to.
    public var connectTimeMax: Duration

    public init(
        endpoints: [String], isEncrypted: Bool = false, certificates: Certificates = Certificates(), user: User? = nil,
        requestTimeMax: Duration = .milliseconds(1_000), connectTimeMax: Duration = .milliseconds(250)
    ) {
        precondition(!endpoints.isEmpty, "a cluster has at least one member")
        self.endpoints = endpoints
        self.isEncrypted = isEncrypted
        self.certificates = certificates
        self.user = user
        self.requestTimeMax = requestTimeMax
        self.connectTimeMax = connectTimeMax
    }
}

extension EtcdOptions.Certificates {
    var files: HTTPCertificates { HTTPCertificates(authorities: authorities, own: own) }

    /// Refuses files that can't be read, or don't belong together; asks nobody.
    public func check() throws(EtcdError) {
        switch files.check() {
        case .unusableAuthorities:
            throw .untrusted(.authorities, "\(authorities ?? "") can't be read, or is no PEM file of certificates")
        case .unusableCertificate:
            let (certificate, key) = own ?? ("", "")
            throw .untrusted(
                .certificate,
                "\(key) is not the key of the certificate \(certificate), or one of them can't be read or is no PEM file")
        default: break
        }
    }
}

extension EtcdOptions {
    /// How long it may take until there is a connection, at whichever address of its name a member is: the second is tried so much later.
    var connectionTimeMax: Duration {
        let areNumbers = endpoints.allSatisfy { $0.hasPrefix("[") || $0.utf8.allSatisfy { !(0x41...0x7A).contains($0) } }
        return areNumbers ? connectTimeMax : connectTimeMax + .milliseconds(250)
    }
}

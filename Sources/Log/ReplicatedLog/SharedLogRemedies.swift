public import Etcd

/// What a person mends where the cluster takes nothing for good: in the words of the program, which knows how its settings are called.
public struct SharedLogRemedies: Sendable, Equatable {
    /// Where the members are, or whether they are asked over TLS.
    public var address: String
    /// The authorities that sign the members' certificates.
    public var authorities: String
    /// This machine's certificate, and its key.
    public var certificate: String
    /// The user, and its password.
    public var user: String
    public var permission: String
    /// Whether this machine names a user; one that names none is told so when a right is missing.
    public var hasUser: Bool
    /// What this machine is called.
    public var node: String
    /// That the members have no space left.
    public var space: String
    /// That the log is none of those that share one.
    public var alone: String

    /// Makes them; those that are not given name no setting.
    public init(
        address: String = "mend the address of the cluster, and open the log again",
        authorities: String = "mend the authorities, and open the log again",
        certificate: String = "mend the certificate and its key, and open the log again",
        user: String = "mend the user and its password, and open the log again",
        permission: String = "give the role of the user the right",
        hasUser: Bool = true,
        node: String = "name one of them otherwise",
        space: String = "give the members more",
        alone: String = "open it alone"
    ) {
        self.address = address
        self.authorities = authorities
        self.certificate = certificate
        self.user = user
        self.permission = permission
        self.hasUser = hasUser
        self.node = node
        self.space = space
        self.alone = alone
    }

    /// An error as a sentence, with what a person has to mend if it lasts until then.
    public func words(of error: EtcdError) -> String {
        switch error {
        case .refused(.denied(.permission), _) where !hasUser: return words(of: .nameless)
        case .refused(.full, let message): return words(ofFull: message)
        default:
            guard let concern = error.concern else { return error.isWithoutLeader ? SharedLogReach.quorumIsLost : "\(error)" }
            return "\(error): \(self[concern])"
        }
    }

    /// That the members have no space left, with what makes some.
    ///
    /// - Parameter message: what they say.
    func words(ofFull message: String) -> String {
        "the cluster has no space left (\(message)); a machine makes room within a minute, if it may: else \(space)"
    }

    private subscript(concern: EtcdConcern) -> String {
        switch concern {
        case .address: address
        case .authorities: authorities
        case .certificate: certificate
        case .user: user
        case .permission: permission
        }
    }
}

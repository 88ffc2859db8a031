public import Etcd

/// The remedies that messages suggest for a lasting error of the cluster.
///
/// The program sets the texts, because it knows the names of its settings.
public struct SharedLogRemedies: Sendable {
    /// The members' addresses, and whether they use TLS.
    public var address = "mend the address of the cluster, and open the log again"
    /// The authorities that sign the members' certificates.
    public var authorities = "mend the authorities, and open the log again"
    /// This machine's certificate and its key.
    public var certificate = "mend the certificate and its key, and open the log again"
    /// The user and its password.
    public var user = "mend the user and its password, and open the log again"
    public var permission = "give the role of the user the right"
    /// Whether this machine names a user; if not, a missing permission is a missing user.
    public var hasUser = true
    /// Another machine has the same name.
    public var node = "name one of them otherwise"
    /// The log is no copy of the shared one.
    public var alone = "open it alone"

    public init() {}

    /// An error as a sentence, with the remedy if it is lasting.
    public func words(of error: EtcdError) -> String {
        switch error {
        case .refused(.denied(.permission), _) where !hasUser: return words(of: .nameless)
        case .refused(.full, let message):
            return "the cluster has no space left (\(message)): within a minute a machine removes what all machines have; then "
                + "run etcdctl defrag for each member, the leader last, and etcdctl alarm disarm"
        default: break
        }
        let remedy: String
        switch error.concern {
        case .address: remedy = address
        case .authorities: remedy = authorities
        case .certificate: remedy = certificate
        case .user: remedy = user
        case .permission: remedy = permission
        case nil: return error.isWithoutLeader ? SharedLogReach.quorumIsLost : "\(error)"
        }
        return "\(error): \(remedy)"
    }
}

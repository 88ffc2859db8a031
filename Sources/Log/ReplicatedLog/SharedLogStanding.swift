import Records
import Synchronization

/// How a machine stands among those that share a log, as far as it knows itself.
public struct SharedLogStanding: Sendable {
    /// The name of the log.
    public var name: String
    /// What the machine is called.
    public var node: String
    /// How many batches it has taken in.
    public var batches: UInt64
    /// Whether it runs the commands.
    public var isLeading: Bool
    /// Whether the cluster takes what this machine brings.
    public var reach: SharedLogReach
    /// Whether the members refused this machine's last append or report because they have no space left.
    public var isFull: Bool
    /// Whether it is not known yet what became of the last append.
    public var isInDoubt: Bool
}

extension SharedLogStanding {
    /// Whether nothing can be changed now.
    public var isAway: Bool { reach != .answers }
}

extension ReplicatedActionLog {
    /// How this machine stands now; asks nobody.
    public var standing: SharedLogStanding {
        let place = copy.place
        return state.withLock { state in
            SharedLogStanding(
                name: place?.name ?? "", node: node, batches: place?.number ?? 0, isLeading: state.fence != nil,
                reach: reach(in: state), isFull: state.isFull, isInDoubt: state.doubt != nil)
        }
    }
}

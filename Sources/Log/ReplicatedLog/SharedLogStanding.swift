import ChronicleLog
import Synchronization

/// This machine's status in a shared log, as far as it knows itself.
public struct SharedLogStanding: Sendable {
    /// The name of the log.
    public var name: String
    public var node: String
    /// Number of batches in its copy.
    public var batches: UInt64
    /// Whether it runs the commands.
    public var isLeading: Bool
    public var reach: SharedLogReach
    /// Whether the members refused this machine's last append or report because they have no space left.
    public var isFull: Bool
    /// Whether the outcome of the last append is unknown.
    public var isInDoubt: Bool
}

extension SharedLogStanding {
    public var isAway: Bool { reach != .answers }
}

extension ReplicatedActionLog {
    /// The current status; it asks no member.
    public var standing: SharedLogStanding {
        let place = copy.place
        return state.withLock { state in
            SharedLogStanding(
                name: place?.name ?? "", node: node, batches: place?.number ?? 0, isLeading: state.fence != nil,
                reach: reach(in: state), isFull: state.isFull, isInDoubt: state.doubt != nil)
        }
    }
}

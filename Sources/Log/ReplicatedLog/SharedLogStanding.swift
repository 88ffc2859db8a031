import CMachine
import Records
import Synchronization

/// How a machine stands among those that share a log, as far as it knows itself.
public struct SharedLogStanding: Sendable, Equatable {
    /// The name of the log.
    public var name: String
    /// What the machine is called.
    public var node: String
    /// How many batches it has taken in.
    public var batches: UInt64
    /// Whether it runs the commands.
    public var isLeading: Bool
    /// Whether nobody answered a moment ago.
    public var isAway: Bool
    /// Whether it is not known yet what became of the last append.
    public var isInDoubt: Bool
}

extension ReplicatedActionLog {
    /// How this machine stands now; asks nobody.
    public var standing: SharedLogStanding {
        let place = copy.place
        return state.withLock { state in
            SharedLogStanding(
                name: place?.name ?? "", node: node, batches: place?.number ?? 0, isLeading: state.fence != nil,
                isAway: state.awayUntil > monotonic_nanoseconds(), isInDoubt: state.doubt != nil)
        }
    }
}

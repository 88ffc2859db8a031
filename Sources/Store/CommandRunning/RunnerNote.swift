public import ChronicleLog

/// A message of the runner for the daemon's log.
public struct RunnerNote: Sendable, Equatable {
    /// The reason for a message.
    public enum Event: Sendable, Equatable {
        /// An attempt failed; the next one follows after this time.
        case retrying(after: Duration)
        /// The last attempt failed.
        case failed
        /// The command waits for a person.
        case parked
        /// The target returned a result after the command had ended; it is discarded.
        case late
        /// The end can't be written for lack of space, and waits.
        case waitingForRoom
    }

    public var id: CommandID
    public var name: String
    /// The reason.
    public var event: Event
    /// A sentence for a person; may be empty.
    public var reason: String
}

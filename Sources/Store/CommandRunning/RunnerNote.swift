public import Records

/// What a runner has to say to whoever reads the daemon's log.
public struct RunnerNote: Sendable, Equatable {
    /// What happened.
    public enum Event: Sendable, Equatable {
        /// An attempt failed, and another will be made after so long.
        case retrying(after: Duration)
        /// The last attempt failed.
        case failed
        /// It waits for a person.
        case parked
        /// Its target brought something back after it had ended; it is thrown away.
        case late
        /// Its end can't be written for want of room, and waits.
        case waitingForRoom
    }

    public var id: CommandID
    public var name: String
    /// What happened.
    public var event: Event
    /// A sentence for a person; may be empty.
    public var reason: String
}

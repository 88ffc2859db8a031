public import Chronicle
public import ChronicleLog
public import ChronicleStore

/// The cause of a record: the first dispatch of the chain, its commands, and their results.
public struct Explanation<App: Feature>: Sendable {
    public var sequence: UInt64
    /// The records of the first dispatch, in order, with their effects.
    public var roots: [Node]
    /// Whether parts were left out, because there are more than `HistoryLimits.answersMax`.
    public var isCut: Bool

    public struct Node: Sendable {
        public var record: LoggedRecord<App>
        public var commands: [Branch]
    }

    public struct Branch: Sendable {
        public var id: CommandID
        public var call: CommandCall
        public var fate: Fate
        /// The resulting records: its end, and events before it.
        public var results: [Node]
    }

    public enum Fate: Sendable, Equatable {
        /// Executed by the client that requested it.
        case presentational
        case open(OutboxRow)
        case ended
        /// Neither an end in the log nor a row in the outbox: it only cancelled others.
        case without
    }
}

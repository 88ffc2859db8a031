public import Chronicle
public import ChronicleLog
public import ChronicleStore

/// The cause of a record: the first dispatch of the chain, its commands, and their results.
public struct Explanation<App: Feature>: Sendable {
    /// The requested record.
    public var sequence: UInt64
    /// The records of the first dispatch, in order, with their effects.
    public var roots: [Node]
    /// Whether parts were left out, because there are more than `HistoryLimits.answersMax`.
    public var isCut: Bool

    /// A record and the commands that it requested.
    public struct Node: Sendable {
        /// The record: its uid, key and content.
        public var record: LoggedRecord<App>
        /// Its commands, in order.
        public var commands: [Branch]
    }

    /// A command and its results.
    public struct Branch: Sendable {
        public var id: CommandID
        /// The requested call.
        public var call: CommandCall
        /// Its status.
        public var fate: Fate
        /// The resulting records: its end, and events before it.
        public var results: [Node]
    }

    /// The status of a command.
    public enum Fate: Sendable, Equatable {
        /// Executed by the client that requested it.
        case presentational
        case open(OutboxRow)
        case ended
        /// Neither an end in the log nor a row in the outbox: it only cancelled others.
        case without
    }
}

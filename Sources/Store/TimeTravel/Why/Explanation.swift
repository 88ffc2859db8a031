public import Records
public import Reducing
public import StoreRuntime

/// Why a record is there: the dispatch with which it all began, what that asked for, and what came of it.
public struct Explanation<App: Feature>: Sendable {
    /// The record that was asked about.
    public var sequence: UInt64
    /// The records of the dispatch with which it began, in order; each with what it brought about.
    public var roots: [Node]
    /// Whether some parts were left out, because there are more than `HistoryLimits.answersMax`.
    public var isCut: Bool

    /// A record, and the commands it asked for.
    public struct Node: Sendable {
        /// The record: who, under which key, and what.
        public var record: LoggedRecord<App>
        /// Its commands, in order.
        public var commands: [Branch]
    }

    /// A command, and what it brought about.
    public struct Branch: Sendable {
        public var id: CommandID
        /// What was asked for.
        public var call: CommandCall
        /// How it stands.
        public var fate: Fate
        /// The records that came of it: its end, and facts before it.
        public var results: [Node]
    }

    /// How a command stands.
    public enum Fate: Sendable, Equatable {
        /// It was for the client that asked.
        case presentational
        case open(OutboxRow)
        case ended
        /// The log has no end of it and the outbox no row: it only cancelled others.
        case without
    }
}

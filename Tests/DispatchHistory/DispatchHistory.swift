/// The calls and answers of a log's clients with the times of both, to be compared with the log itself.
///
/// A log is linearizable if each dispatch took effect at one moment between its call and its answer. Every answer names a
/// position in the log, so their order is known and no search is needed: it is enough that no dispatch that was
/// answered before another was called comes after it. All times are of one monotonic clock.
public struct DispatchHistory: Sendable {
    /// The dispatches, each with a unique key.
    public var dispatches: [SeenDispatch] = []
    /// The concurrent reads.
    public var reads: [SeenRead] = []
    /// The machines that were seen to run the commands.
    public var terms: [SeenTerm] = []
    /// The records that each subscriber received, in its order, from the first record on.
    public var told: [[LoggedRecord]] = []

    public init() {}
}

/// One dispatch with all its attempts.
public struct SeenDispatch: Sendable, Equatable {
    /// The outcome of an attempt.
    public enum Outcome: Sendable, Equatable {
        /// The dispatch is in the log, from this attempt or an earlier one.
        case acknowledged([Int64], isDuplicate: Bool)
        /// This attempt was not and never will be executed.
        case refused
        /// Refused because the log had grown beyond the expected record.
        ///
        /// The value is its last record.
        case stale(Int64)
        /// The outcome is unknown.
        case unknown
    }

    public struct Attempt: Sendable, Equatable {
        /// The time of the call.
        public var asked: Int64
        /// The time of the answer.
        public var answered: Int64
        public var outcome: Outcome

        public init(_ asked: Int64, _ answered: Int64, _ outcome: Outcome) {
            (self.asked, self.answered, self.outcome) = (asked, answered, outcome)
        }
    }

    public var key: String
    /// The number of records.
    public var count: Int
    /// The record that must be the last one of the log, if any.
    public var expected: Int64?
    /// The attempts in order.
    public var attempts: [Attempt]

    public init(_ key: String, count: Int = 1, expected: Int64? = nil, _ attempts: [Attempt] = []) {
        (self.key, self.count, self.expected, self.attempts) = (key, count, expected, attempts)
    }
}

/// A read that waited for a record.
public struct SeenRead: Sendable, Equatable {
    /// The time of the call.
    public var asked: Int64
    /// The time of the answer.
    public var answered: Int64
    /// The record that it waited for.
    public var minimum: Int64
    /// The last record of the state that it saw.
    public var sequence: Int64
    /// The number that it saw.
    public var total: Int64

    public init(asked: Int64, answered: Int64, minimum: Int64, sequence: Int64, total: Int64) {
        (self.asked, self.answered, self.minimum, self.sequence, self.total) = (asked, answered, minimum, sequence, total)
    }
}

/// A range of the log in which only one machine may run commands.
public struct SeenTerm: Sendable, Equatable {
    /// The last record before the range.
    public var behind: Int64
    /// The last record of the range.
    public var through: Int64
    public var node: String

    public init(behind: Int64, through: Int64, node: String) {
        (self.behind, self.through, self.node) = (behind, through, node)
    }
}

/// A record of the log with the fields that histories need.
public struct LoggedRecord: Sendable, Equatable {
    public var sequence: Int64
    /// The key of its dispatch, if any.
    public var key: String?
    /// The amount that it adds to the number that reads see.
    public var amount: Int64
    /// The machine that ran the command, if the record is its result.
    public var runner: String?

    public init(_ sequence: Int64, _ key: String?, amount: Int64 = 1, runner: String? = nil) {
        (self.sequence, self.key, self.amount, self.runner) = (sequence, key, amount, runner)
    }
}

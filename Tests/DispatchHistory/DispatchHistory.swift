/// What the clients of a log asked, and what they were told, with the times of both, to be held against the log itself.
///
/// A log is linearizable if each dispatch took effect at one moment between its call and its answer. Since every answer names a place in the
/// log, the order of those moments is known, and nothing has to be searched: it is enough that no dispatch that was answered before another was called
/// stands behind it. All times are of one clock, which never goes back.
public struct DispatchHistory: Sendable {
    /// The dispatches, each under a key of its own.
    public var dispatches: [SeenDispatch] = []
    /// What was read meanwhile.
    public var reads: [SeenRead] = []
    /// Who was seen to run the commands.
    public var terms: [SeenTerm] = []
    /// What each subscriber was told, in its order, from the first record on.
    public var told: [[LoggedRecord]] = []

    /// A history without anything.
    public init() {}
}

/// One dispatch, asked as often as its client cared to.
public struct SeenDispatch: Sendable, Equatable {
    /// What one attempt came to.
    public enum Outcome: Sendable, Equatable {
        /// It is in the log, now or since an attempt before.
        case acknowledged([Int64], isDuplicate: Bool)
        /// Nothing of this attempt was done, nor ever will be.
        case refused
        /// Refused because the log had grown behind what was expected, last by this record.
        case stale(Int64)
        /// Nobody knows.
        case unknown
    }

    /// One attempt.
    public struct Attempt: Sendable, Equatable {
        /// When it was called.
        public var asked: Int64
        /// When its client knew the outcome.
        public var answered: Int64
        /// What it came to.
        public var outcome: Outcome

        /// Makes one.
        public init(_ asked: Int64, _ answered: Int64, _ outcome: Outcome) {
            (self.asked, self.answered, self.outcome) = (asked, answered, outcome)
        }
    }

    /// Its key.
    public var key: String
    /// How many records it is to bring.
    public var count: Int
    /// With which record the log must end, if it depends on that.
    public var expected: Int64?
    /// The attempts, one after the other.
    public var attempts: [Attempt]

    /// Makes one.
    public init(_ key: String, count: Int = 1, expected: Int64? = nil, _ attempts: [Attempt] = []) {
        (self.key, self.count, self.expected, self.attempts) = (key, count, expected, attempts)
    }
}

/// What a read said that waited for a record.
public struct SeenRead: Sendable, Equatable {
    /// When it was called.
    public var asked: Int64
    /// When it was answered.
    public var answered: Int64
    /// The record that it waited for.
    public var minimum: Int64
    /// The record behind which it saw the state.
    public var sequence: Int64
    /// The number that it saw.
    public var total: Int64

    /// Makes one.
    public init(asked: Int64, answered: Int64, minimum: Int64, sequence: Int64, total: Int64) {
        (self.asked, self.answered, self.minimum, self.sequence, self.total) = (asked, answered, minimum, sequence, total)
    }
}

/// A stretch of the log in which one machine alone may run commands.
public struct SeenTerm: Sendable, Equatable {
    /// The last record before it.
    public var behind: Int64
    /// Its last record.
    public var through: Int64
    /// The machine.
    public var node: String

    /// Makes one.
    public init(behind: Int64, through: Int64, node: String) {
        (self.behind, self.through, self.node) = (behind, through, node)
    }
}

/// A record of the log, as far as histories are concerned.
public struct LoggedRecord: Sendable, Equatable {
    /// Its place.
    public var sequence: Int64
    /// The key that it was dispatched with, if it was.
    public var key: String?
    /// What it adds to the number that reads see.
    public var amount: Int64
    /// The machine that ran the command which it is the result of, if it is one.
    public var runner: String?

    /// Makes one.
    public init(_ sequence: Int64, _ key: String?, amount: Int64 = 1, runner: String? = nil) {
        (self.sequence, self.key, self.amount, self.runner) = (sequence, key, amount, runner)
    }
}

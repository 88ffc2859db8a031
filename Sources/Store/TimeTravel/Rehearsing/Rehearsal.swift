/// Result of folding a log with this code and comparing it with earlier code.
public struct Rehearsal: Sendable, Equatable {
    /// The verdict.
    public enum Word: String, Sendable {
        /// All records are readable and fold to the same states and commands, as far as known.
        case fine
        /// Equal states, but this code requests other commands. Recorded commands stay as they are.
        case risky
        /// A record is unreadable or folds to another state.
        case impossible
    }

    /// A difference between this code and the other.
    public struct Difference: Sendable, Equatable {
        /// The record, or the last candidate if `since` is not the one before it.
        public var sequence: UInt64
        /// The last record at which both were equal.
        public var since: UInt64
        /// The difference, as a sentence.
        public var what: String
        /// Both values, as lines.
        public var details: [String]

        public init(_ sequence: UInt64, since: UInt64? = nil, _ what: String, details: [String] = []) {
            self.sequence = sequence
            self.since = since ?? sequence - min(1, sequence)
            self.what = what
            self.details = details
        }
    }

    /// Number of records folded.
    public internal(set) var records: UInt64 = 0
    /// Number of whole states compared.
    public internal(set) var states = 0
    /// Number of records compared one by one.
    public internal(set) var checks: UInt64 = 0
    /// Number of records whose commands were compared.
    public internal(set) var commands: UInt64 = 0
    /// The first record that is unreadable or folds to another state.
    public internal(set) var state: Difference?
    /// The first record for which this code requests other commands.
    public internal(set) var command: Difference?
    /// Whether the deadline ended it before the log.
    public internal(set) var isCutShort = false

    /// Begins empty.
    public init() {}

    /// The verdict so far.
    public var word: Word { state != nil ? .impossible : command != nil ? .risky : .fine }
}

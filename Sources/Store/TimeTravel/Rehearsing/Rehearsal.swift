/// What came of folding a log with this code, held against what is known of the code that folded it before.
public struct Rehearsal: Sendable, Equatable {
    /// What it comes to.
    public enum Word: String, Sendable {
        /// All records are read, and fold to the same states and commands wherever that is known.
        case fine
        /// The states are the same, but this code asks for other commands: those that records asked for stay what they are.
        case risky
        /// A record can't be read, or folds to another state.
        case impossible
    }

    /// A place where this code and the other differ.
    public struct Difference: Sendable, Equatable {
        /// The record; the last of those of which it is one, where `since` is another.
        public var sequence: UInt64
        /// Behind which record both were the same; one before `sequence` where that is known exactly.
        public var since: UInt64
        /// What differs, as a sentence.
        public var what: String
        /// What there is on both sides, as lines.
        public var details: [String]

        public init(_ sequence: UInt64, since: UInt64? = nil, _ what: String, details: [String] = []) {
            self.sequence = sequence
            self.since = since ?? sequence - min(1, sequence)
            self.what = what
            self.details = details
        }
    }

    /// How many records were folded.
    public internal(set) var records: UInt64 = 0
    /// How many states were compared as a whole.
    public internal(set) var states = 0
    /// How many records were compared one by one.
    public internal(set) var checks: UInt64 = 0
    /// How many records asked for commands that were compared.
    public internal(set) var commands: UInt64 = 0
    /// The first record that can't be read, or folds to another state.
    public internal(set) var state: Difference?
    /// The first record for which this code asks for other commands.
    public internal(set) var command: Difference?
    /// Whether it ended before the log did, because its time was over.
    public internal(set) var isCutShort = false

    /// Of nothing.
    public init() {}

    /// What it comes to, as far as it came.
    public var word: Word { state != nil ? .impossible : command != nil ? .risky : .fine }
}

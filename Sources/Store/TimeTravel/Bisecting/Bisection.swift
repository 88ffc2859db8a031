public import Reducing

/// The answer to the question after which record something came true.
public struct Bisection: Sendable {
    public enum Outcome: Sendable, Equatable {
        /// It came true with this record.
        case found(UInt64)
        /// It held already where the search began.
        case heldAtStart
        /// It did not hold at the end, nor anywhere that was looked at.
        case neverHeld
    }

    /// A moment that was looked at.
    public struct Look: Sendable, Equatable {
        /// The moment.
        public var sequence: UInt64
        /// Whether it held.
        public var holds: Bool
    }

    /// How the search goes.
    public enum Method: String, Sendable {
        /// By halves, between moments that are looked at all along: quick, and right if it came true only once.
        case halving
        /// Record by record: the first one, however often it came true.
        case linear
    }

    public var outcome: Outcome
    /// How it was looked for.
    public var method: Method
    /// Where the search began and ended.
    public var range: ClosedRange<UInt64>
    /// The moments that were looked at, by sequence; only the ends and the finding of a linear search.
    public var looks: [Look]
    /// What the record changed that was found; `nil` if those are more than `HistoryLimits.changesMax`.
    public var changes: [Change]?

    /// How often it came true or ceased to between the moments that were looked at; more than one time means that a linear
    /// search may find an earlier one.
    public var flips: Int {
        zip(looks, looks.dropFirst()).count { $0.holds != $1.holds }
    }
}

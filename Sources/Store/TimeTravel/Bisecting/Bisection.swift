public import Chronicle

/// Result of a search for the record that made an expression true.
public struct Bisection: Sendable {
    public enum Outcome: Sendable, Equatable {
        /// The record that made it true.
        case found(UInt64)
        /// True already at the start.
        case heldAtStart
        /// False at the end and at all evaluated points.
        case neverHeld
    }

    /// An evaluated point.
    public struct Look: Sendable, Equatable {
        /// The last record of the state.
        public var sequence: UInt64
        /// Whether the expression is true.
        public var holds: Bool
    }

    /// The search method.
    public enum Method: String, Sendable {
        /// Binary search between samples: fast, and exact if the expression became true only once.
        case halving
        /// Linear search: always finds the first record.
        case linear
    }

    public var outcome: Outcome
    /// The method used.
    public var method: Method
    /// The searched range.
    public var range: ClosedRange<UInt64>
    /// The evaluated points, by sequence; a linear search lists only the ends and the result.
    public var looks: [Look]
    /// The changes of the found record; `nil` for more than `HistoryLimits.changesMax`.
    public var changes: [Change]?

    /// Number of times that the value changed between evaluated points; if more than 1, a linear search may find an earlier record.
    public var flips: Int { zip(looks, looks.dropFirst()).count { $0.holds != $1.holds } }
}

import Chronicle
public import ChronicleLog

/// The state after a flush and everything that belongs to that moment.
public struct CommittedState<State: Sendable>: Sendable {
    /// The epoch of the log.
    public var epoch: UInt64
    /// The sequence of the last record.
    public var sequence: UInt64
    /// The time of the last record, in microseconds since 1970; 0 before the first.
    public var time: Int64
    /// The folded state.
    public var state: State
    /// Estimated memory of the state in bytes.
    public var stateBytes = 0
    /// For each scope, the sequence of the record that last changed it.
    public var changedAt: [UInt64]
    /// The number of redactions that the state includes.
    public var redactions: UInt64 = 0
    /// The lock, if dispatches are refused.
    public var lock: Lock?
    /// The invariants.
    public var invariants: [Invariant] = []

    /// Creates a committed state in which every scope counts as changed at `sequence`.
    public init(epoch: UInt64, sequence: UInt64, time: Int64, state: State, scopes: Int) {
        self.epoch = epoch
        self.sequence = sequence
        self.time = time
        self.state = state
        self.changedAt = Array(repeating: sequence, count: scopes)
    }

    mutating func note(_ changed: ScopeSet, at sequence: UInt64) {
        var rest = changed.rawValue
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            if index < changedAt.count { changedAt[index] = sequence }
            rest &= rest - 1
        }
    }

    /// Whether a scope has changed since an earlier state, or a record was redacted.
    public func isNews(to earlier: CommittedState, in scope: Int?) -> Bool {
        lastChange(of: scope) > earlier.sequence || redactions != earlier.redactions
    }

    func isSame(as other: CommittedState) -> Bool { sequence == other.sequence && redactions == other.redactions }

    /// The last change of a scope; without a scope, the last record.
    public func lastChange(of scope: Int?) -> UInt64 { scope.map { changedAt[$0] } ?? sequence }
}

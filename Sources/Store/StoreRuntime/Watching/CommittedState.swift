public import Records
import Reducing

/// The state after a flush, with all that was true at that moment.
public struct CommittedState<State: Sendable>: Sendable {
    /// The epoch of the log.
    public var epoch: UInt64
    /// The sequence of the last record.
    public var sequence: UInt64
    /// The time of the last record, in microseconds since 1970; 0 before the first.
    public var time: Int64
    /// The folded state.
    public var state: State
    /// Memory that the state takes, in estimated bytes.
    public var stateBytes = 0
    /// For each scope the sequence of the record that last changed it.
    public var changedAt: [UInt64]
    /// How many redactions of the log the state knows of.
    public var redactions: UInt64 = 0
    /// Whether nothing is dispatched, and why.
    public var lock: Lock?
    /// The conditions that every state must meet.
    public var invariants: [Invariant] = []
    /// The scopes that were wiped since the start, and the last record that wiped one.
    var wiped: (scopes: ScopeSet, last: UInt64) = ([], 0)

    /// Makes a committed state in which every scope counts as changed at `sequence`.
    public init(epoch: UInt64, sequence: UInt64, time: Int64, state: State, scopes: Int) {
        self.epoch = epoch
        self.sequence = sequence
        self.time = time
        self.state = state
        self.changedAt = Array(repeating: sequence, count: scopes)
    }

    /// Notes that the record of `sequence` changed these scopes.
    mutating func note(_ changed: ScopeSet, at sequence: UInt64) {
        var rest = changed.rawValue
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            if index < changedAt.count { changedAt[index] = sequence }
            rest &= rest - 1
        }
    }

    /// Whether something in a scope has changed since an earlier one, or something was taken out of a record.
    public func isNews(to earlier: CommittedState, in scope: Int?) -> Bool {
        lastChange(of: scope) > earlier.sequence || redactions != earlier.redactions
    }

    /// Whether it is of the same moment.
    func isSame(as other: CommittedState) -> Bool {
        sequence == other.sequence && redactions == other.redactions
    }

    /// When the scope last changed; without a scope, the last record.
    public func lastChange(of scope: Int?) -> UInt64 {
        scope.map { changedAt[$0] } ?? sequence
    }
}

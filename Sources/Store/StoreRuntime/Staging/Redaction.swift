public import Reducing

/// Another action in the place of one that was logged, and the state that follows from it.
public struct Redaction<App: Feature>: Sendable {
    /// The record.
    public var sequence: UInt64
    /// What it holds from now on.
    public var action: App.Action
    /// The state with that action, up to `through`; what came meanwhile, up to `Limits.meanwhileRecordsMax` records, the store folds.
    public var state: App.State
    /// The last record that the state holds.
    public var through: UInt64
    /// How many redactions the log had before; if there are more, it is refused with `.overtaken`.
    public var redactions: UInt64

    /// Makes one.
    public init(
        sequence: UInt64, action: App.Action, state: App.State, through: UInt64, redactions: UInt64
    ) {
        self.sequence = sequence
        self.action = action
        self.state = state
        self.through = through
        self.redactions = redactions
    }
}

public import Reducing

/// Other actions in the place of some that were logged, and the state that follows from them.
public struct Redaction<App: Feature>: Sendable {
    /// The records, oldest first and each once, at least one; and what each holds from now on.
    public var actions: [(sequence: UInt64, action: App.Action)]
    /// The state with those actions, up to `through`; what came meanwhile, up to `Limits.meanwhileRecordsMax` records, the store folds.
    public var state: App.State
    /// The last record that the state holds.
    public var through: UInt64
    /// How many redactions the log had before; if there are more, it is refused with `.overtaken`.
    public var redactions: UInt64

    public init(
        actions: [(sequence: UInt64, action: App.Action)], state: App.State, through: UInt64, redactions: UInt64
    ) {
        precondition(!actions.isEmpty, "a redaction is one of some records")
        self.actions = actions
        self.state = state
        self.through = through
        self.redactions = redactions
    }

    /// The first of the records.
    var first: UInt64 { actions[0].sequence }
}

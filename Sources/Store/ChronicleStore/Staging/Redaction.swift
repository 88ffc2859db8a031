public import Chronicle

/// Replacements of logged actions, and the resulting state.
public struct Redaction<App: Feature>: Sendable {
    /// The records, oldest first, each once, at least one; and their new actions.
    public var actions: [(sequence: UInt64, action: App.Action)]
    /// The state with the new actions, at `through`; the store folds up to `Limits.meanwhileRecordsMax` later records.
    public var state: App.State
    /// The last record that the state includes.
    public var through: UInt64
    /// The number of earlier redactions of the log; more refuse the redaction with `.outdated`.
    public var redactions: UInt64

    public init(actions: [(sequence: UInt64, action: App.Action)], state: App.State, through: UInt64, redactions: UInt64) {
        precondition(!actions.isEmpty, "a redaction is one of some records")
        self.actions = actions
        self.state = state
        self.through = through
        self.redactions = redactions
    }

    var first: UInt64 { actions[0].sequence }
}

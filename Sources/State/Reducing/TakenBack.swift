/// A present state from which something was taken back, and what stood in the way of that.
public struct TakenBack<State: Sendable>: Sendable {
    /// The state as it is to be; where something stood in the way, as if nothing had.
    public var state: State
    /// What stood in the way; while this is not empty, nothing is to happen unless somebody insists.
    public var conflicts: [Conflict]

    public init(_ state: State, conflicts: [Conflict] = []) {
        self.state = state
        self.conflicts = conflicts
    }
}

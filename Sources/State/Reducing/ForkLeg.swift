/// A stretch of a fork that was merged, or is to be: what it handed out has other ids in the log that it was merged into.
public struct ForkLeg<State: Sendable>: Sendable {
    /// The fork where the stretch ends.
    public var end: State
    /// The other log right before the stretch was merged: what the stretch handed out comes behind what that had.
    public var before: State
    /// The other log right after, which tells what came there; `nil`: it is to be merged, and all comes.
    public var after: State?

    public init(end: State, before: State, after: State? = nil) {
        self.end = end
        self.before = before
        self.after = after
    }
}

/// A conflict of undo: a value that changed after the change that is undone.
public struct Conflict: Sendable, Equatable {
    /// A field (`counter.count`), an element (`todos.items[12]`), or a field of one (`todos.items[12].title`).
    public var path: String
    /// The value that the undone change set; `nil`: it removed the value.
    public var expected: Value?
    /// The present value; `nil` if there is no value now.
    public var found: Value?

    public init(_ path: String, expected: Value?, found: Value?) {
        (self.path, self.expected, self.found) = (path, expected, found)
    }

    /// The same conflict in the state of a parent.
    public func under(_ name: String) -> Conflict {
        Conflict(path.isEmpty ? name : name + "." + path, expected: expected, found: found)
    }
}

/// The result of undoing a change in a present state.
public struct RevertResult<State: Sendable>: Sendable {
    /// The new state, in which conflicts are overridden: conflicting values are reverted, as far as their element still exists.
    public var state: State
    /// The conflicts; if there are any, the state is only used if a person overrides them.
    public var conflicts: [Conflict]

    public init(_ state: State, conflicts: [Conflict] = []) { (self.state, self.conflicts) = (state, conflicts) }
}

/// One step of the path to a place in a state.
public enum PlaceStep: Sendable, Equatable {
    /// The field with this name.
    case name(String)
    /// The element with this id.
    case id(UInt64)
}

/// A stretch of a fork that was or will be merged, whose new elements get other ids in the log that it is merged into.
public struct ForkStretch<State: Sendable>: Sendable {
    /// The state of the fork at the end of the stretch.
    public var end: State
    /// The state of the other log before the merge: new elements of the stretch get ids above those of this state.
    public var before: State
    /// The state of the other log after the merge, which shows what the merge brought; `nil`: the merge is still to come, and brings
    /// everything.
    public var after: State?

    public init(end: State, before: State, after: State? = nil) { (self.end, self.before, self.after) = (end, before, after) }
}

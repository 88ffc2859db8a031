public import Chronicle

/// Delivers the same items to many subscribers of one scope.
public protocol StateAudience<App>: Sendable {
    associatedtype App: Feature

    var isEmpty: Bool { get }

    /// Delivers an item to all members; a member whose buffer is full leaves at the position. Called on the query thread: must not block.
    /// - Parameter done: called when all members have the item or have left; the next delivery waits for it.
    func tell(_ item: StateItem<App>, leavingAt position: CommittedState<App.State>, done: @escaping @Sendable () -> Void)

    /// Removes all members at a position, or for good (`nil`).
    func dismiss(at position: CommittedState<App.State>?)
}

/// A subscriber's membership in an audience.
public protocol StateMember<App>: Sendable {
    associatedtype App: Feature

    /// Joins the audience after an item for this subscriber alone.
    ///
    /// Called on the query thread: must not block. The subscriber leaves at the position if its buffer has no room for the item.
    func begin(at position: CommittedState<App.State>, first item: StateItem<App>?)

    /// Whether the subscriber has left: deliveries no longer wait for it.
    var hasLeft: Bool { get }

    /// Leaves before joining.
    func end(at position: CommittedState<App.State>?)

    /// Waits until the subscriber has left, and returns its position.
    /// - Throws: when nothing more follows, or the subscriber has gone.
    func left() async throws -> CommittedState<App.State>
}

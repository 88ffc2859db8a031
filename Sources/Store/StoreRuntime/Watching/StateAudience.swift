public import Reducing

/// Carries what many subscribers of one scope are told at the same time.
public protocol StateAudience<App>: Sendable {
    associatedtype App: Feature

    var isEmpty: Bool { get }

    /// Tells all members an item; whoever has no room for it leaves at a position.
    ///
    /// On the query thread: must not block.
    ///
    /// - Parameter done: to be called when all were told or have left; nothing is told before.
    func tell(_ item: StateItem<App>, leavingAt position: CommittedState<App.State>, done: @escaping @Sendable () -> Void)

    /// Has all members leave at a position, or for good, because nothing more comes.
    func dismiss(at position: CommittedState<App.State>?)
}

/// One subscriber's place in an audience.
public protocol StateMember<App>: Sendable {
    associatedtype App: Feature

    /// Has the subscriber told what the audience is told from now on, and an item of its own before that.
    ///
    /// On the query thread: must not block. It leaves at the position if there is no room for its own item.
    func begin(at position: CommittedState<App.State>, first item: StateItem<App>?)

    /// Whether the subscriber has left: it is not waited with any more.
    var hasLeft: Bool { get }

    /// Leaves before it began.
    func end(at position: CommittedState<App.State>?)

    /// Waits until the subscriber has left, and gives the position at which it did.
    ///
    /// - Throws: when there will be nothing more, or nobody wants it.
    func left() async throws -> CommittedState<App.State>
}

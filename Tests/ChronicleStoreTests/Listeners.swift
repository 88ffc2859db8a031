import Synchronization

@testable import ChronicleStore

/// An audience that records the items its members receive.
final class Listeners: StateSubscribers {
    typealias App = Tally

    struct Telling: Sendable {
        var item: StateItem<Tally>
        /// The number of members that had room for the item.
        var members: Int
    }

    private struct Content {
        var members: [Listener] = []
        var fullCount = 0
        var done: (@Sendable () -> Void)?
    }

    let scope: Int
    let tellings = Collected<Telling>()
    /// Members that joined and left.
    let begun = Collected<Void>()
    let ended = Collected<Void>()
    private let isSlow: Bool
    private let content = Mutex(Content())

    /// - Parameter isSlow: whether delivery of an item takes until ``finish()``.
    init(scope: Int = 0, isSlow: Bool = false) {
        self.scope = scope
        self.isSlow = isSlow
    }

    var isEmpty: Bool { content.withLock { $0.members.isEmpty } }

    func add(_ member: Listener) { content.withLock { $0.members.append(member) } }

    func remove(_ member: Listener) { content.withLock { $0.members.removeAll { $0 === member } } }

    /// Leaves one member no room for the next item.
    func fillOne() { content.withLock { $0.fullCount = 1 } }

    func finish() { content.withLock { $0.done.take() }?() }

    func tell(_ item: StateItem<Tally>, leavingAt position: CommittedState<Tally.State>, done: @escaping @Sendable () -> Void) {
        let (count, full) = content.withLock { content in
            let full = content.members.prefix(content.fullCount)
            content.members.removeFirst(content.fullCount)
            content.fullCount = 0
            if isSlow { content.done = done }
            return (content.members.count, full)
        }
        for member in full { member.end(at: position) }
        tellings.add(Telling(item: item, members: count))
        if !isSlow { done() }
    }

    func dismiss(at position: CommittedState<Tally.State>?) {
        let members = content.withLock { content in
            defer { content.members = [] }
            return content.members
        }
        for member in members { member.end(at: position) }
    }
}

/// A member of the audience.
final class Listener: StateSubscriber {
    typealias App = Tally

    private let audience: Listeners
    private let alone: Collected<StateItem<Tally>>
    private let departure = Collected<CommittedState<Tally.State>?>()

    init(audience: Listeners, alone: Collected<StateItem<Tally>>) {
        self.audience = audience
        self.alone = alone
    }

    func begin(at position: CommittedState<Tally.State>, first item: StateItem<Tally>?) {
        if let item { alone.add(item) }
        audience.add(self)
        audience.begun.add(())
    }

    var hasLeft: Bool { !departure.all.isEmpty }

    func end(at position: CommittedState<Tally.State>?) {
        audience.ended.add(())
        departure.add(position)
    }

    func left() async throws -> CommittedState<Tally.State> {
        let position = try await withTaskCancellationHandler {
            try await departure.wait(for: 1)[0]
        } onCancel: {
            audience.remove(self)
            departure.add(nil)
        }
        guard let position else { throw StoreError.stopping }
        return position
    }
}

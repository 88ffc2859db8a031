import AppFeature
import StoreRuntime
import TodoAPI
import VarlinkNIO

/// The subscribers of one scope who are told together, each item as one reply for all of them.
struct Audience: StateAudience {
    let group = ReplyGroup<Present<App.State>>()

    /// One for everything, and one for each scope in its order.
    static var all: [Audience] { (0...App.scopes.count).map { _ in Audience() } }

    var isEmpty: Bool { group.isEmpty }

    func tell(_ item: StateItem<App>, leavingAt position: Present<App.State>, done: @escaping @Sendable () -> Void) {
        group.send(leavingAt: position, done: done) { SubscribeMethod.Output(item).write(into: &$0) }
    }

    func dismiss(at position: Present<App.State>?) { group.dismiss(at: position) }
}

/// One of them.
struct Subscriber: StateMember {
    let membership: GroupMembership<Present<App.State>>

    func begin(at position: Present<App.State>, first item: StateItem<App>?) {
        guard let item else { return membership.begin(at: position) }
        let output = SubscribeMethod.Output(item)
        membership.begin(at: position) { output.write(into: &$0) }
    }

    var hasLeft: Bool { membership.hasLeft }

    func end(at position: Present<App.State>?) { membership.end(at: position) }

    func left() async throws -> Present<App.State> { try await membership.left() }
}

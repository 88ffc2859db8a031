import StoreRuntime
import TodoAPI
import VarlinkNIO

/// The subscribers of one scope, or of one view, who are told together, each item as one reply for all of them.
///
/// What an item says is made by a closure, which was compiled for the app; the store knows an audience by its protocol alone.
struct Audience<App: DaemonApp>: StateAudience {
    typealias Output = @Sendable (StateItem<App>) -> SubscribeMethod.Output

    let group = ReplyGroup<CommittedState<App.State>>()
    let output: Output

    var isEmpty: Bool { group.isEmpty }

    func tell(_ item: StateItem<App>, leavingAt position: CommittedState<App.State>, done: @escaping @Sendable () -> Void) {
        group.send(leavingAt: position, done: done) { [output] in output(item).write(into: &$0) }
    }

    func dismiss(at position: CommittedState<App.State>?) { group.dismiss(at: position) }
}

/// One of them.
struct Subscriber<App: DaemonApp>: StateMember {
    let membership: GroupMembership<CommittedState<App.State>>
    let stream: ReplyStream
    let output: Audience<App>.Output

    init(_ audience: Audience<App>, on stream: ReplyStream) {
        membership = stream.membership(in: audience.group)
        self.stream = stream
        output = audience.output
    }

    func begin(at position: CommittedState<App.State>, first item: StateItem<App>?) {
        guard let item else { return membership.begin(at: position) }
        let output = output(item)
        membership.begin(at: position) { output.write(into: &$0) }
    }

    var hasLeft: Bool { membership.hasLeft }

    func end(at position: CommittedState<App.State>?) { membership.end(at: position) }

    /// Also waits until the subscriber can take more: nothing is encoded for one that does not read.
    func left() async throws -> CommittedState<App.State> {
        let position = try await membership.left()
        try await stream.drained(within: Subscribers.stalledSecondsMax)
        return position
    }
}

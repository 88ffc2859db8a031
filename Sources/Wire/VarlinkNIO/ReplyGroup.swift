internal import NIOCore
internal import Synchronization
public import Varlink

/// Streams that receive the same replies: each reply is encoded once and passed to the event loop once.
///
/// An idle member costs nothing, and no task is woken per reply. A member that has no room for a reply leaves the group with the
/// position of the last reply that it received.
public final class ReplyGroup<Position: Sendable>: Sendable {
    fileprivate let memberCount = Atomic<Int>(0)
    fileprivate let queue = Mutex<EventLoopQueue?>(nil)

    public init() {}
    public var isEmpty: Bool { memberCount.load(ordering: .acquiring) == 0 }

    /// Sends a reply that is not the last to all members, in batches so that other connections are served in between.
    /// - Parameters:
    ///   - position: the position of a member that has no room for the reply.
    ///   - done: called when every member has received the reply or has left; wait for it before the next `send`.
    ///   - parameters: writes the parameters as one JSON object; runs immediately.
    public func send(leavingAt position: Position, done: @escaping @Sendable () -> Void, _ parameters: ConnectionState.Encoder) {
        guard let queue = queue.withLock({ $0 }) else { return done() }
        let frame = ReplyFrame(parameters)
        queue.post(.run { $0.change(self) { $0.send(frame, leavingAt: position, done) } })
    }

    /// Removes all members; pass nil if this ends the streams.
    public func dismiss(at position: Position?) {
        queue.withLock { $0 }?.post(.run { $0.change(self) { $0.dismiss(at: position) } })
    }
}

extension ReplyStream {
    /// Creates a membership for a call with `more`; it takes effect with `begin`.
    public func membership<Position: Sendable>(in group: ReplyGroup<Position>) -> GroupMembership<Position> {
        group.queue.withLock { $0 = reply.queue }
        return GroupMembership(of: reply, in: group)
    }
}

/// The membership of a stream in a group; it ends once, with the position at which the stream left.
public final class GroupMembership<Position: Sendable>: Sendable {
    private let group: ReplyGroup<Position>
    private let reply: ReplyHandle
    private let end = OneShot<Position?>()

    fileprivate init(of reply: ReplyHandle, in group: ReplyGroup<Position>) {
        (self.reply, self.group) = (reply, group)
        group.memberCount.add(1, ordering: .acquiringAndReleasing)
    }

    /// Joins the group: the stream receives all replies that are sent from now on.
    /// - Parameters:
    ///   - position: the position of the stream before the first reply.
    ///   - first: writes the parameters of a reply for this stream only; runs immediately.
    public func begin(at position: Position, first: ConnectionState.Encoder? = nil) {
        let frame = first.map { ReplyFrame($0) }
        reply.queue.post(.run { [self] in $0.change(group) { $0.add(self, at: position, first: frame) } })
    }

    /// Sends a reply, on the event loop; false if the stream has no room for it.
    fileprivate func receive(_ frame: ReplyFrame) -> Bool { reply.connection.value.send(frame, to: reply.id) }

    /// Whether the stream has left, or was cancelled before it joined.
    public var hasLeft: Bool { end.isSet }

    /// Ends the membership before it has begun, or when the stream leaves the group.
    public func end(at position: Position?) {
        end.set(position) { group.memberCount.subtract(1, ordering: .acquiringAndReleasing) }
    }

    /// Waits until the stream has left, and returns its position.
    /// - Throws: ``ReplyStream/Closed`` if this ends the streams, the connection closes or the server stops;
    ///   `CancellationError` if the task is cancelled.
    public func left() async throws -> Position {
        let position = await withTaskCancellationHandler {
            await end.value()
        } onCancel: {
            end(at: nil)
            reply.queue.post(.run { [self] in $0.change(group) { $0.remove(self) } })
        }
        if let position { return position }
        try Task.checkCancellation()
        throw ReplyStream.Closed()
    }
}

/// The members of a group, bound to the event loop.
final class GroupMembers<Position: Sendable> {
    /// Members served per batch; 32 small writes take about 0.1 ms.
    private static var batchMembersMax: Int { 32 }
    /// Bytes written per batch; one frame may exceed it.
    private static var batchBytesMax: Int { 1 << 20 }

    private let group: ReplyGroup<Position>
    private let eventLoop: any EventLoop
    private var members: [GroupMembership<Position>] = []
    /// The members that have not received the reply of the current round.
    private var unserved: ArraySlice<GroupMembership<Position>> = []
    /// Changes that wait for the end of the current round.
    private var waiting: [() -> Void] = []
    private var isSending = false

    /// Keeps the group, by whose identity the loop finds its members.
    init(of group: ReplyGroup<Position>, on eventLoop: any EventLoop) { (self.group, self.eventLoop) = (group, eventLoop) }
    var isEmpty: Bool { members.isEmpty && !isSending }

    func add(_ membership: GroupMembership<Position>, at position: Position, first: ReplyFrame?) {
        afterRound { [self] in
            guard !membership.hasLeft else { return }
            if let first, !membership.receive(first) { return membership.end(at: position) }
            members.append(membership)
        }
    }

    func remove(_ membership: GroupMembership<Position>) { members.removeAll { $0 === membership } }

    func dismiss(at position: Position?) {
        afterRound { [self] in
            for membership in members { membership.end(at: position) }
            members = []
        }
    }

    func send(_ frame: ReplyFrame, leavingAt position: Position, _ done: @escaping () -> Void) {
        afterRound { [self] in
            (isSending, unserved) = (true, members[...])
            sendBatch(frame, leavingAt: position, done)
        }
    }

    private func afterRound(_ change: @escaping () -> Void) { if isSending { waiting.append(change) } else { change() } }

    private func sendBatch(_ frame: ReplyFrame, leavingAt position: Position, _ done: @escaping () -> Void) {
        let count = min(Self.batchMembersMax, max(1, Self.batchBytesMax / frame.bytes.readableBytes))
        for membership in unserved.prefix(count) where !membership.hasLeft && !membership.receive(frame) {
            membership.end(at: position)
            remove(membership)
        }
        unserved = unserved.dropFirst(count)
        guard unserved.isEmpty else {
            let isolated = eventLoop.assumeIsolated()
            isolated.scheduleTask(in: ServerLoop.pause) { self.sendBatch(frame, leavingAt: position, done) }
            return
        }
        unserved = []
        isSending = false
        done()
        while !isSending, !waiting.isEmpty { waiting.removeFirst()() }
    }
}

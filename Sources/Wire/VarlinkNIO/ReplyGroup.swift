internal import Synchronization
public import Varlink

/// Streams that are told the same: a reply is encoded once and taken to the event loop once, however many get it.
///
/// A member costs nothing between two replies and has no task that is woken for one. It is in the group for as long as it
/// keeps up: whoever has no room for a reply leaves, with the position that goes with the replies that it has got.
public final class ReplyGroup<Position: Sendable>: Sendable {
    fileprivate let name = GroupName()
    fileprivate let mailbox = Mutex<Mailbox?>(nil)

    public init() {}

    public var isEmpty: Bool { name.memberCount.load(ordering: .acquiring) == 0 }

    /// Sends a reply that another follows to all members, a few at a time, so that other connections are served between.
    ///
    /// - Parameters:
    ///   - position: where whoever has no room for the reply stands.
    ///   - done: called when every member has got it or has left; send the next one after that.
    ///   - parameters: writes the parameters, one JSON object; runs at once.
    public func send(
        leavingAt position: Position, done: @escaping @Sendable () -> Void, _ parameters: ConnectionState.Encoder
    ) {
        guard let mailbox = mailbox.withLock({ $0 }) else { return done() }
        let round = GroupRound(frame: ReplyFrame(parameters), position: position, done: done)
        mailbox.post(.group(name, .round(round)))
    }

    /// Has all members leave; without a position when there will be nothing more to tell.
    public func dismiss(at position: Position?) {
        mailbox.withLock { $0 }?.post(.group(name, .dismissal(position)))
    }
}

/// A stream's place in a group.
public struct GroupMembership<Position: Sendable>: Sendable {
    fileprivate let name: GroupName
    fileprivate let place: GroupPlace
    fileprivate let reply: ReplyHandle

    /// Has the stream told what is sent to the group from now on.
    ///
    /// - Parameters:
    ///   - position: where the stream stands without the first reply.
    ///   - first: writes the parameters of a reply for this stream alone; runs at once.
    public func begin(at position: Position, first: ConnectionState.Encoder? = nil) {
        let member = GroupMember(reply: reply, place: place, position: position, first: first.map { ReplyFrame($0) })
        reply.mailbox.post(.group(name, .arrival(member)))
    }

    /// Whether the stream has left, or was never to come because nobody waits for it any more.
    public var hasLeft: Bool { place.hasLeft }

    /// Ends the membership before it began.
    public func end(at position: Position?) {
        place.leave(at: position)
    }

    /// Waits until the stream has left, and gives the position at which it did.
    ///
    /// - Throws: ``ReplyStream/Closed`` when there will be nothing more, when the connection closes or the server stops;
    ///   `CancellationError` when the task is cancelled.
    public func left() async throws -> Position {
        let position = await withTaskCancellationHandler {
            await place.wait()
        } onCancel: {
            place.leave(at: nil)
            reply.mailbox.post(.group(name, .departure(place)))
        }
        if let position = position as? Position { return position }
        try Task.checkCancellation()
        throw ReplyStream.Closed()
    }
}

extension ReplyStream {
    /// A place in a group, for a call with `more`.
    public func membership<Position: Sendable>(in group: ReplyGroup<Position>) -> GroupMembership<Position> {
        group.mailbox.withLock { $0 = reply.mailbox }
        return GroupMembership(name: group.name, place: GroupPlace(in: group.name), reply: reply)
    }
}

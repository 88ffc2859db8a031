internal import NIOCore
internal import Varlink

/// What happens to a group, in the order in which it was said.
enum GroupEvent: Sendable {
    case arrival(GroupMember)
    case departure(GroupPlace)
    case round(GroupRound)
    case dismissal((any Sendable)?)
}

/// A stream that comes into a group.
struct GroupMember: Sendable {
    let reply: ReplyHandle
    let place: GroupPlace
    /// Its position before its first reply.
    var position: (any Sendable)?
    /// The frame of a reply for it alone.
    var first: ReplyFrame?
    /// The last round in which it was told something.
    var round = 0
}

/// A reply for all members.
struct GroupRound: Sendable {
    let frame: ReplyFrame
    /// Where whoever has no room for it stands.
    let position: any Sendable
    let done: @Sendable () -> Void
}

/// The members of a group, bound to the event loop.
final class GroupMembers {
    /// How many are told before others get their turn: that many small writes take about a tenth of a millisecond.
    static let turnMembersMax = 32
    /// Bytes that are written before others get their turn, unless one frame has more.
    static let turnBytesMax = 1 << 20
    /// What lies between two turns, because the loop looks at its sockets only when no task is due.
    static let pause = TimeAmount.microseconds(10)

    private let eventLoop: any EventLoop
    private var members: [GroupMember] = []
    private var waiting: [GroupEvent] = []
    private var current: GroupRound?
    private var rounds = 0
    /// How many members, from the first on, have not had their turn in the current round.
    private var untold = 0

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    var isEmpty: Bool { members.isEmpty && current == nil }

    func add(_ event: GroupEvent) {
        if case .departure(let place) = event {
            if let index = members.firstIndex(where: { $0.place === place }) { remove(index) }
            return
        }
        guard current == nil else { return waiting.append(event) }
        perform(event)
    }

    private func perform(_ event: GroupEvent) {
        switch event {
        case .arrival(let member): arrive(member)
        case .departure: break
        case .round(let round):
            current = round
            rounds += 1
            untold = members.count
            turn()
        case .dismissal(let position):
            for member in members { member.place.leave(at: position) }
            members = []
        }
    }

    private func arrive(_ member: GroupMember) {
        guard !member.place.hasLeft else { return }
        if let first = member.first, !tell(member, first) { return member.place.leave(at: member.position) }
        var member = member
        // From now on it has its own copy of the group's position.
        (member.position, member.first) = (nil, nil)
        members.append(member)
    }

    private func turn() {
        guard let round = current else { return }
        let count = min(Self.turnMembersMax, max(1, Self.turnBytesMax / max(1, round.frame.byteCount)))
        let end = max(0, untold - count)
        while untold > end {
            untold -= 1
            // Who leaves is replaced by the last one, so a place may be empty, or taken by one who was told already.
            guard untold < members.count, members[untold].round != rounds else { continue }
            members[untold].round = rounds
            guard !tell(members[untold], round.frame) else { continue }
            members[untold].place.leave(at: round.position)
            remove(untold)
        }
        guard untold == 0 else {
            eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { self.turn() }
            return
        }
        current = nil
        round.done()
        while current == nil, !waiting.isEmpty { perform(waiting.removeFirst()) }
    }

    private func tell(_ member: GroupMember, _ frame: ReplyFrame) -> Bool {
        member.reply.connection.value.send(frame, to: member.reply.id)
    }

    private func remove(_ index: Int) {
        members.swapAt(index, members.count - 1)
        members.removeLast()
    }
}

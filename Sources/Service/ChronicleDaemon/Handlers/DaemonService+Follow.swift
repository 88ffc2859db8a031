import ChronicleLog
import ChronicleStore
import Expressions
import Synchronization
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func follow(_ input: FollowMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        let name = input.name
        answerSubscriber(reply) { [self] stream in
            _ = try subscription(name, for: peer)
            let follower = followers.enter(name, peer)
            defer { followers.leave(name, follower) }
            // Read after this follower is registered: a later change of the subscription dismisses it.
            let row = try subscription(name, for: peer)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.tell(row, on: stream) }
                group.addTask {
                    for await why in follower.ends { throw APIError.subscriptionEnded(message: why, name: name.asName) }
                    throw CancellationError()
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    /// Sends the records after a position, and waits for more at the end of the log.
    private func tell(_ row: SubscriptionRow, on stream: ReplyStream) async throws {
        var place = FollowedPlace(row.position)
        var cursor = try cursor(of: row, after: row.position)
        while true {
            let present = store.present
            while place.seen < present.sequence {
                let records = try await wanted(row, &cursor, through: present.sequence)
                place.seen = cursor.reached
                if !records.isEmpty || place.isDue { try await send(records, of: present, &place, stream) }
            }
            if !place.hasCaughtUp || place.hasNews && place.isDue { try await send([], of: present, &place, stream) }
            _ = try await store.present(after: place.seen, within: place.hasNews ? place.pause : nil)
        }
    }

    private func cursor(of row: SubscriptionRow, after position: UInt64) throws(APIError) -> FilterCursor<App> {
        do throws(ExpressionError) { return try FilterCursor(row.filter, after: position) } catch {
            throw .badSubscription(
                message: """
                    The condition of \(row.name) can't be read by this version (\(error.message)). Set it anew, or remove it.
                    """, name: row.name.asName)
        }
    }

    private func wanted(
        _ row: SubscriptionRow, _ cursor: inout FilterCursor<App>, through last: UInt64
    ) async throws -> [LoggedRecord<App>] {
        do throws(StoreError) {
            return try await history.records(of: &cursor, through: last)
        } catch {
            guard case .pruned(let base) = error else { throw error }
            // The log was empty, and has begun with a base since: continue after the base.
            if cursor.reached == 0, let position = store.subscription(row.name)?.position, position >= base {
                cursor = try self.cursor(of: row, after: position)
                return []
            }
            let archive = files.log.base.flatMap { $0.sequence == base ? $0.archive : nil }
            throw APIError.subscriptionPruned(name: row.name.asName, first: cursor.reached + 1, last: base, archive: archive)
        }
    }

    private func send(
        _ records: [LoggedRecord<App>], of present: CommittedState<App.State>, _ place: inout FollowedPlace, _ stream: ReplyStream
    ) async throws {
        var pager = Pager(records.map { RecordMessage($0) }, bytes: \.approximateBytes)
        repeat {
            let page = pager.next()
            let sequence = pager.hasMore ? page.last?.sequence ?? place.seen : place.seen
            let isEnd = sequence >= present.sequence
            try await stream.deliver(
                FollowMethod.Output(epoch: present.epoch, sequence: sequence, records: page, caughtUp: isEnd ? true : nil))
            place.note(sequence, isEnd: isEnd)
        } while pager.hasMore
    }
}

/// Progress of a follower: the last reported record, and the last one filtered.
///
/// Filtered records are reported in long ranges, so that the follower can acknowledge them and its lag stays small.
private struct FollowedPlace {
    var seen: UInt64
    private(set) var hasCaughtUp = false
    private var told: UInt64
    private var lastTold = ContinuousClock.now
    private static let stretch: Duration = .seconds(1)

    init(_ position: UInt64) {
        seen = position
        told = position
    }

    mutating func note(_ sequence: UInt64, isEnd: Bool) {
        told = sequence
        if isEnd { hasCaughtUp = true }
        lastTold = .now
    }

    var hasNews: Bool { told < seen }
    /// Time until the next report of records that it filters out.
    var pause: Duration { max(.zero, Self.stretch - lastTold.duration(to: .now)) }
    var isDue: Bool { pause == .zero }
}

/// The followers of subscriptions: the latest process for each.
final class Followers: Sendable {
    /// A follower, until it leaves or is dismissed.
    struct Follower: Sendable {
        fileprivate let number: UInt64
        let peer: Peer
        /// Yields the reason for its dismissal, once.
        let ends: AsyncStream<String>
        fileprivate let end: AsyncStream<String>.Continuation
    }

    private struct Content {
        var followers: [ExactText: Follower] = [:]
        var lastNumber: UInt64 = 0
    }

    private let content = Mutex(Content())

    /// Registers a follower in place of the previous one.
    func enter(_ name: String, _ peer: Peer) -> Follower {
        let (ends, end) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let (follower, former) = content.withLock { content in
            content.lastNumber += 1
            let follower = Follower(number: content.lastNumber, peer: peer, ends: ends, end: end)
            return (follower, content.followers.updateValue(follower, forKey: ExactText(name)))
        }
        former?.end.yield("Process \(peer.pid) of uid \(peer.uid) follows \(name) now.")
        return follower
    }

    func dismiss(_ name: String, because why: String) {
        content.withLock { $0.followers.removeValue(forKey: ExactText(name)) }?.end.yield(why)
    }

    func leave(_ name: String, _ follower: Follower) {
        content.withLock { content in
            if content.followers[ExactText(name)]?.number == follower.number { content.followers[ExactText(name)] = nil }
        }
    }

    func pid(of name: String) -> Int32? { content.withLock { $0.followers[ExactText(name)]?.peer.pid } }
}

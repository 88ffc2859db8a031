import Chronicle
import ChronicleStore
import Synchronization
import TodoAPI
import Varlink
import VarlinkNIO

enum AnswerLimits {
    /// Maximum size of a reply to a call without `more`, in bytes.
    static let bytesMax = 1 << 20
    /// Approximate bytes of a page; one with a single element may be larger.
    static let pageBytesMax = 256 << 10
    static let pageElementsMax = 256
    /// Maximum estimated JSON bytes of one uid's unread lists of changes, unless it is a single list; in memory they are three times as
    /// large.
    static let heldBytesMax = 64 << 20
    /// Seconds after which the connection of a subscriber that does not read a pending reply is closed.
    static let stalledSecondsMax = 5.0
}

extension Collection {
    /// The first elements that fit into the bytes that are left; at least one unless `countMin` is 0.
    func fitting(
        _ bytesLeft: inout Int, min countMin: Int = 1, max countMax: Int = .max, bytes: (Element) -> Int
    ) -> [Element] {
        var fitting: [Element] = []
        for element in self {
            guard fitting.count < countMax else { break }
            let count = bytes(element)
            guard count <= bytesLeft || fitting.count < countMin else { break }
            bytesLeft -= count
            fitting.append(element)
        }
        return fitting
    }
}

extension ArraySlice {
    /// Removes the next page and returns it.
    /// - Parameter bytes: the approximate size of an element as JSON.
    mutating func takePage(
        elementsMax: Int = AnswerLimits.pageElementsMax, bytesMax: Int = AnswerLimits.pageBytesMax, bytes: (Element) -> Int
    ) -> [Element] {
        var left = bytesMax
        let page = fitting(&left, max: elementsMax, bytes: bytes)
        removeFirst(page.count)
        return page
    }
}

extension [Change] {
    /// The changes, unless they are too large for one answer with other bytes.
    func fitting(beside others: Int = 0) -> [Change]? {
        var left = AnswerLimits.bytesMax - others
        return fitting(&left, min: 0, bytes: \.byteCount).count == count ? self : nil
    }
}

extension ReplyHandle {
    func succeed(_ message: some Message) { succeed { message.write(into: &$0) } }

    /// Runs long work, with progress reports if the caller accepts several replies; they are dropped while it does not read.
    func reporting<Answer: Sendable>(
        on stream: ReplyStream, _ message: @escaping @Sendable (UInt64) -> some Message,
        _ work: (@escaping @Sendable (UInt64) -> Void) async throws -> Answer
    ) async throws -> Answer {
        guard more else { return try await work { _ in } }
        let pace = ReportPace()
        return try await work { reached in if pace.isDue() { stream.offer(message(reached)) } }
    }
}

extension ReplyStream {
    func send(_ message: some Message) async throws { try await send(ReplyFrame(message)) }

    /// Sends a reply to a subscriber and waits until it can take the next one.
    func deliver(_ message: some Message) async throws {
        try await send(message)
        try await ready()
    }

    /// Waits until a subscriber can take the next reply.
    func ready() async throws { try await drained(within: AnswerLimits.stalledSecondsMax) }

    func offer(_ message: some Message) { offer { message.write(into: &$0) } }

    func end(_ message: some Message) { end { message.write(into: &$0) } }

    /// - Throws: above `AnswerLimits.bytesMax`, `answerTooLarge` or the given error.
    func endWhole(_ message: some Message, orThrow tooLarge: APIError = .answerTooLarge) throws(APIError) {
        var bytes: [UInt8] = []
        message.write(into: &bytes)
        guard bytes.count <= AnswerLimits.bytesMax else { throw tooLarge }
        end(bytes)
    }

    /// - Throws: `answerTooLarge` for one reply above `AnswerLimits.bytesMax`.
    func end<Element>(
        list: [Element], inPages: Bool, bytes: (Element) -> Int, _ output: ([Element]) -> some Message
    ) async throws {
        guard inPages else { return try endWhole(output(list)) }
        var rest = list[...]
        var page = rest.takePage(bytes: bytes)
        while !rest.isEmpty {
            try await send(output(page))
            page = rest.takePage(bytes: bytes)
        }
        end(output(page))
    }
}

extension ReplyFrame {
    init(_ message: some Message) { self.init { message.write(into: &$0) } }
}

/// Limits reports to ten a second.
final class ReportPace: Sendable {
    private static let pause: Duration = .milliseconds(100)

    private let last = Mutex(ContinuousClock.now)

    /// Whether a report is due, which is then counted as sent.
    func isDue() -> Bool {
        last.withLock { last in
            let now = ContinuousClock.now
            guard last.duration(to: now) > Self.pause else { return false }
            last = now
            return true
        }
    }
}

/// The current use of a resource by uid: subscriptions, or bytes of unread answers.
final class UserQuota: Sendable {
    private let amounts = Mutex<[UInt32: Int]>([:])

    var total: Int { amounts.withLock { $0.values.reduce(0, +) } }

    /// Holds an amount during a call.
    /// - Parameter check: throws if the amounts of the uid and of all users are already too large.
    func hold(
        _ amount: Int, for uid: UInt32, check: (_ ofUser: Int, _ ofAll: Int) throws(APIError) -> Void,
        _ body: () async throws -> Void
    ) async throws {
        try amounts.withLock { amounts throws(APIError) in
            try check(amounts[uid, default: 0], amounts.values.reduce(0, +))
            amounts[uid, default: 0] += amount
        }
        defer {
            amounts.withLock { amounts in
                let left = amounts[uid, default: amount] - amount
                amounts[uid] = left == 0 ? nil : left
            }
        }
        try await body()
    }

    /// Runs the delivery of changes that a slow client reads page by page; throws `queryBusy` while too much of the uid's earlier ones
    /// is unread.
    func hold(_ changes: [Change], for uid: UInt32, _ body: () async throws -> Void) async throws {
        let bytes = changes.reduce(0) { $0 + $1.approximateBytes }
        let check = { (held: Int, _: Int) throws(APIError) in
            guard held == 0 || held + bytes <= AnswerLimits.heldBytesMax else { throw .queryBusy }
        }
        try await hold(bytes, for: uid, check: check, body)
    }
}

/// Limits subscriptions to three quarters of the connections, so that the others stay free for calls.
struct Subscribers: Sendable {
    private let quota = UserQuota()
    private let countMax: Int
    private let countOfUserMax: Int

    init(connectionsMax: Int, connectionsPerUserMax: Int) {
        countMax = connectionsMax - connectionsMax / 4
        countOfUserMax = connectionsPerUserMax - connectionsPerUserMax / 4
    }

    var count: Int { quota.total }

    func hold(for uid: UInt32, _ body: () async throws -> Void) async throws {
        let check = { (ofUser: Int, ofAll: Int) throws(APIError) in
            guard ofUser < countOfUserMax else { throw .tooManySubscribers(max: countOfUserMax, uid: uid) }
            guard ofAll < countMax else { throw .tooManySubscribers(max: countMax) }
        }
        try await quota.hold(1, for: uid, check: check, body)
    }
}

import Chronicle
import ChronicleStore
import Synchronization
import TodoAPI
import VarlinkNIO

enum AnswerLimits {
    /// Maximum size of a reply to a call without `more`, in bytes.
    static let bytesMax = 1 << 20
    /// Approximate bytes of a page; one with a single element may be larger.
    static let pageBytesMax = 256 << 10
}

/// Divides a list into pages with a maximum number of elements and bytes; each page has at least one element.
struct PageBuilder<Element> {
    static var elementsMax: Int { 256 }

    private var rest: ArraySlice<Element>
    private let bytes: (Element) -> Int

    /// - Parameter bytes: the approximate size of an element as JSON.
    init(_ elements: [Element], bytes: @escaping (Element) -> Int) {
        rest = elements[...]
        self.bytes = bytes
    }

    var hasMore: Bool { !rest.isEmpty }

    mutating func next(of countMax: Int = elementsMax) -> [Element] {
        var (count, held) = (0, 0)
        for element in rest {
            held += bytes(element)
            if count == countMax || count > 0 && held > AnswerLimits.pageBytesMax { break }
            count += 1
        }
        defer { rest.removeFirst(count) }
        return Array(rest.prefix(count))
    }
}

extension ReplyStream {
    /// - Throws: `answerTooLarge` for one reply above `AnswerLimits.bytesMax`.
    func end<Element>(
        list: [Element], inPages: Bool, bytes: @escaping (Element) -> Int, _ output: ([Element]) -> some Message
    ) async throws {
        guard inPages else { return try endWhole(output(list)) }
        var pager = PageBuilder(list, bytes: bytes)
        var page = pager.next()
        while pager.hasMore {
            try await send(output(page))
            page = pager.next()
        }
        end(output(page))
    }

    /// - Throws: above `AnswerLimits.bytesMax`, `answerTooLarge` or the given error.
    func endWhole(_ message: some Message, orThrow tooLarge: () -> APIError = { .answerTooLarge }) throws(APIError) {
        var bytes: [UInt8] = []
        message.write(into: &bytes)
        guard bytes.count <= AnswerLimits.bytesMax else { throw tooLarge() }
        end(bytes)
    }
}

extension [Change] {
    var fitting: [Change]? { fitting(beside: 0) }

    func fitting(beside others: Int) -> [Change]? {
        var bytes = others
        for change in self {
            bytes += change.byteCount
            if bytes > AnswerLimits.bytesMax { return nil }
        }
        return self
    }
}

/// Limits the memory of complete lists of changes that slow clients read page by page.
final class HeldAnswers: Sendable {
    /// Maximum estimated JSON bytes of one uid's lists, unless it is a single list; in memory they are three times as large.
    static let bytesOfAskerMax = 64 << 20

    private let bytes = Mutex<[UInt32: Int]>([:])

    /// Runs the delivery of a list of changes; throws `queryBusy` while too much of the uid's earlier lists is unread.
    func hold(_ changes: [Change], for uid: UInt32, _ body: () async throws -> Void) async throws {
        let count = changes.reduce(0) { $0 + $1.approximateBytes }
        let hasRoom = bytes.withLock { bytes in
            let held = bytes[uid, default: 0]
            guard held == 0 || held + count <= Self.bytesOfAskerMax else { return false }
            bytes[uid] = held + count
            return true
        }
        guard hasRoom else { throw APIError.queryBusy }
        defer {
            bytes.withLock { bytes in
                let left = bytes[uid, default: count] - count
                bytes[uid] = left == 0 ? nil : left
            }
        }
        try await body()
    }
}

final class Subscribers: Sendable {
    /// Seconds after which the connection of a subscriber that does not read a pending reply is closed.
    static let stalledSecondsMax = 5.0

    private let countMax: Int
    private let countOfUserMax: Int
    private let counts = Mutex<[UInt32: Int]>([:])

    /// Allows three quarters of the connections to subscribe, so that the others stay free for calls.
    init(connectionsMax: Int, connectionsPerUserMax: Int) {
        countMax = connectionsMax - connectionsMax / 4
        countOfUserMax = connectionsPerUserMax - connectionsPerUserMax / 4
    }

    var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    func hold(for uid: UInt32, _ body: () async throws -> Void) async throws {
        try counts.withLock { counts throws(APIError) in
            guard counts[uid, default: 0] < countOfUserMax else { throw .tooManySubscribers(max: countOfUserMax, uid: uid) }
            guard counts.values.reduce(0, +) < countMax else { throw .tooManySubscribers(max: countMax) }
            counts[uid, default: 0] += 1
        }
        defer { counts.withLock { $0[uid] = $0[uid] == 1 ? nil : $0[uid, default: 1] - 1 } }
        try await body()
    }
}

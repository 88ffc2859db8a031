import Reducing
import StoreRuntime
import TodoAPI
import VarlinkNIO

/// How much one reply may hold.
enum AnswerLimits {
    /// Bytes of an answer to a call without `more`.
    static let bytesMax = 1 << 20
    /// Bytes of a reply that others follow, roughly; one that holds a single element may be larger.
    static let pageBytesMax = 256 << 10
}

/// A list that is answered piece by piece: each reply holds at most so many elements and bytes, but one element at least.
struct Pager<Element> {
    /// How many elements one reply holds where nothing else is said.
    static var elementsMax: Int { 256 }

    private var rest: ArraySlice<Element>
    private let bytes: (Element) -> Int

    /// - Parameter bytes: how long an element is as JSON, roughly.
    init(_ elements: [Element], bytes: @escaping (Element) -> Int) {
        rest = elements[...]
        self.bytes = bytes
    }

    var hasMore: Bool { !rest.isEmpty }

    /// The elements of the next reply; none after the last.
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
    /// Answers with a list: in pages if that is wanted, else in one reply.
    ///
    /// - Throws: `answerTooLarge` for one reply above `AnswerLimits.bytesMax`.
    func end<Element>(
        list: [Element], inPages: Bool, bytes: @escaping (Element) -> Int, _ output: ([Element]) -> some Message
    ) async throws {
        guard inPages else { return try endWhole(output(list)) }
        var pager = Pager(list, bytes: bytes)
        var page = pager.next()
        while pager.hasMore {
            try await send(output(page))
            page = pager.next()
        }
        end(output(page))
    }

    /// Sends an answer that has to be one frame.
    ///
    /// - Throws: above `AnswerLimits.bytesMax` `answerTooLarge`, or what is said in its place.
    func endWhole(_ message: some Message, orThrow tooLarge: () -> APIError = { .answerTooLarge }) throws(APIError) {
        var bytes: [UInt8] = []
        message.write(into: &bytes)
        guard bytes.count <= AnswerLimits.bytesMax else { throw tooLarge() }
        end(bytes)
    }
}

extension [Change] {
    /// The changes, if one answer holds them.
    var fitting: [Change]? { fitting(beside: 0) }

    /// The changes, if one answer holds them beside so many bytes.
    func fitting(beside others: Int) -> [Change]? {
        var bytes = others
        for change in self {
            bytes += change.byteCount
            if bytes > AnswerLimits.bytesMax { return nil }
        }
        return self
    }
}

extension Message {
    /// How long it is as JSON.
    var byteCount: Int {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return bytes.count
    }
}

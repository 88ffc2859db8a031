import Reducing
import StoreRuntime
import TodoAPI

extension ArraySlice {
    /// Takes off the next elements that fit one reply: no more than a count, and than `TodoService.pageBytesMax`; but one at least, if
    /// there is any.
    mutating func takePage(of countMax: Int = .max, _ bytes: (Element) -> Int) -> [Element] {
        var (count, held) = (0, 0)
        for element in self {
            held += bytes(element)
            if count == countMax || count > 0 && held > TodoService.pageBytesMax { break }
            count += 1
        }
        defer { removeFirst(count) }
        return Array(prefix(count))
    }
}

/// Changes in pieces that fit one reply.
struct ChangePages: Sendable {
    private var rest: ArraySlice<Change>

    init(_ changes: [Change]) { rest = changes[...] }

    var hasMore: Bool { !rest.isEmpty }

    /// The next piece; one change at least, if there is any.
    mutating func next(of countMax: Int = .max) -> [Change] { rest.takePage(of: countMax, \.approximateBytes) }
}

extension Change {
    /// How long it is as JSON, roughly.
    var approximateBytes: Int { 64 + path.utf8.count + (old?.approximateBytes ?? 0) + (new?.approximateBytes ?? 0) }
}

extension [Change] {
    /// The changes, if one answer holds them.
    var fitting: [Change]? { fitting(beside: 0) }

    /// The changes, if one answer holds them beside so many bytes.
    func fitting(beside others: Int) -> [Change]? {
        var bytes = others
        for change in self {
            bytes += change.byteCount
            if bytes > TodoService.answerBytesMax { return nil }
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

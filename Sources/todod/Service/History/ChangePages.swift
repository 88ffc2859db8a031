import Reducing
import StoreRuntime

/// Changes in pieces that fit one reply.
struct ChangePages: Sendable {
    private static let pageBytesMax = 256 << 10

    private var rest: ArraySlice<Change>

    init(_ changes: [Change]) { rest = changes[...] }

    var hasMore: Bool { !rest.isEmpty }

    /// The next piece; one change at least, if there is any.
    mutating func next() -> [Change] {
        var bytes = 0
        let page = rest.prefix { change in
            defer { bytes += change.approximateBytes }
            return bytes < Self.pageBytesMax
        }
        rest = rest[page.endIndex...]
        return Array(page)
    }
}

extension Change {
    /// How long it is as JSON, roughly.
    var approximateBytes: Int { 64 + path.utf8.count + (old?.approximateBytes ?? 0) + (new?.approximateBytes ?? 0) }
}

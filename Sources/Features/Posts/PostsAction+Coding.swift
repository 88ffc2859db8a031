public import ActionCoding
import Restoring

extension Posts.Action: CanonicalCodable {
    /// One field, the case, with a message: 1 fetch, 2 more, 3 add (1 id), 4 set (1 posts, 2 next page, signed), 5 append (as set),
    /// 6 failed (1 reason), 7 restore (1 patch, as `TablePatch`, 2 next page, signed).
    public func encode(into writer: inout CanonicalWriter) {
        switch self {
        case .fetch: writer.message(1) { _ in }
        case .more: writer.message(2) { _ in }
        case .add(let id): writer.message(3) { $0.field(1, id) }
        case .set(let posts, let nextPage): writer.message(4) { Self.encode(posts, nextPage, into: &$0) }
        case .append(let posts, let nextPage): writer.message(5) { Self.encode(posts, nextPage, into: &$0) }
        case .failed(let reason): writer.message(6) { $0.field(1, reason) }
        case .restore(let patch, let nextPage):
            writer.message(7) { writer in
                writer.field(1, patch)
                writer.field(2, nextPage)
            }
        }
    }

    private static func encode(_ posts: [Post], _ nextPage: Int64, into writer: inout CanonicalWriter) {
        for post in posts { writer.message(1, post) }
        writer.field(2, nextPage)
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        guard (1...7).contains(number) else { throw cursor.unknown() }
        var inner = try cursor.enterSingle(bytes)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
        switch number {
        case 1: self = .fetch
        case 2: self = .more
        case 3:
            guard let field = try inner.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: inner.offset) }
            guard field == 1 else { throw inner.unknown() }
            self = .add(try inner.id(bytes))
        case 6: self = .failed(try Self.reason(bytes, &inner))
        case 7: self = try Self.restore(bytes, &inner)
        default:
            let (posts, nextPage) = try Self.page(bytes, &inner)
            self = number == 4 ? .set(posts, nextPage: nextPage) : .append(posts, nextPage: nextPage)
        }
        guard inner.isAtEnd else { throw CanonicalError(.trailingBytes, at: inner.offset) }
    }

    private static func reason(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> String {
        guard let number = try cursor.nextField(in: bytes) else { return "" }
        guard number == 1 else { throw cursor.unknown() }
        return try cursor.text(bytes)
    }

    private static func restore(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        var patch = TablePatch<Post>()
        var nextPage: Int64 = 0
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1:
                patch = try cursor.singleMessage(bytes)
                guard !patch.isEmpty else { throw CanonicalError(.notCanonical, at: cursor.offset) }
            case 2: nextPage = try cursor.int(bytes)
            default: throw cursor.unknown()
            }
        }
        return .restore(patch, nextPage: nextPage)
    }

    private static func page(
        _ bytes: RawSpan, _ cursor: inout CanonicalCursor
    ) throws(CanonicalError) -> (posts: [Post], nextPage: Int64) {
        var posts: [Post] = []
        var nextPage: Int64 = 0
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: posts.append(try cursor.message(bytes))
            case 2: nextPage = try cursor.int(bytes)
            default: throw cursor.unknown()
            }
        }
        return (posts, nextPage)
    }
}

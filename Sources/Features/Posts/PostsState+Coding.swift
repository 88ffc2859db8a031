public import ActionCoding
import PersistentCollections
public import Reducing

extension Posts.State: ValueConvertible {
    /// `{items, nextPage, loading, nextID}`.
    public var value: Value {
        [
            "items": items.elements.value, "nextPage": .int(nextPage), "loading": .bool(loading),
            "nextID": .int(Int64(clamping: nextID)),
        ]
    }

    /// Reads `{items, nextPage, loading, nextID}`; what is left out has its initial value, and `nextID` that above all ids.
    public init(_ value: Value) throws(ValueMismatch) {
        self.init()
        var record = try RecordReader(value)
        let posts: [Post] = try record.optional("items") ?? []
        nextPage = try record.optional("nextPage") ?? 0
        loading = try record.optional("loading") ?? false
        let next = try record.optional("nextID", as: Int64.self)
        try record.end()
        guard nextPage >= 0 else { throw ValueMismatch("nextPage", "a whole number from 0 is expected") }
        for (index, post) in posts.enumerated() where post.id == 0 {
            throw ValueMismatch("items[\(index)].id", "this field is missing")
        }
        append(posts)
        guard items.count == posts.count else { throw ValueMismatch("items", "posts with different ids and keys are expected") }
        guard let next else { return }
        guard next >= Int64(clamping: nextID) else {
            throw ValueMismatch("nextID", "a whole number above every id is expected, at least \(nextID)")
        }
        nextID = UInt64(next)
    }
}

extension Posts.State: CanonicalCodable {
    /// Fields: 1 items (a list of posts in their order), 2 nextPage (signed), 3 loading, 4 the highest id that was handed out.
    public func encode(into writer: inout CanonicalWriter) {
        items.forEach { _, post in
            writer.message(1, post)
            return true
        }
        writer.field(2, nextPage)
        writer.field(3, loading)
        writer.field(4, nextID - 1)
    }

    /// Reads what `encode` wrote; ids that are 0, twice there or above the highest, and keys that are twice there are errors.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        var posts: [Post] = []
        var highest: UInt64 = 0
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: posts.append(try cursor.message(bytes))
            case 2: nextPage = try cursor.int(bytes)
            case 3: loading = try cursor.bool(bytes)
            case 4: highest = try cursor.id(bytes)
            default: throw cursor.unknown()
            }
        }
        append(posts)
        guard items.count == posts.count, nextID <= highest + 1, (0...Int64.exactMax).contains(nextPage) else {
            throw CanonicalError(.notCanonical, at: cursor.offset)
        }
        nextID = highest + 1
    }
}

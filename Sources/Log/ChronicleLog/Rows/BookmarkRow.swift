public import ChronicleValues

/// An index of bookmarks, so that a look-up by name reads no records.
public struct BookmarkRow: Sendable, Equatable {
    /// The name; it is the row's key and not stored in the row.
    public var name: String
    public var sequence: UInt64
    /// The record that set it last.
    public var record: UInt64

    public init(name: String, sequence: UInt64, record: UInt64) {
        self.name = name
        self.sequence = sequence
        self.record = record
    }
}

extension BookmarkRow: CanonicalCodable {
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, sequence)
        writer.field(2, record)
    }

    /// Decodes all but the name, which the caller sets from the key.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(name: "", sequence: 0, record: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: sequence = try cursor.uint(bytes)
            case 2: record = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}

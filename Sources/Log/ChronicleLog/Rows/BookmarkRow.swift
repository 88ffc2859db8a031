public import ChronicleValues

/// Where a bookmark stands: kept beside the records, so that nobody has to look through them for a name.
public struct BookmarkRow: Sendable, Equatable {
    /// The name; it is the row's key, and not stored in the row again.
    public var name: String
    /// The sequence that it names.
    public var sequence: UInt64
    /// The record that put it there last.
    public var record: UInt64

    public init(name: String, sequence: UInt64, record: UInt64) {
        self.name = name
        self.sequence = sequence
        self.record = record
    }
}

extension BookmarkRow: CanonicalCodable {
    /// Writes all but the name.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, sequence)
        writer.field(2, record)
    }

    /// Reads all but the name, which whoever knows the key puts in.
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

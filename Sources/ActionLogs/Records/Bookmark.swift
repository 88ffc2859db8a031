public import ActionCoding

/// The payload of a bookmark record: a name for a place in the log.
///
/// The same name again moves it.
public struct Bookmark: Sendable, Equatable {
    /// UTF-8 bytes of a name.
    public static let nameBytesMax = 64

    /// The name, 1 to `nameBytesMax` bytes.
    public var name: String
    /// The sequence that it names; 0 is before everything.
    public var sequence: UInt64

    /// Makes a bookmark.
    public init(name: String, sequence: UInt64) {
        self.name = name
        self.sequence = sequence
    }
}

extension Bookmark: CanonicalCodable {
    /// Writes both.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, name)
        writer.field(2, sequence)
    }

    /// Reads a bookmark; one without a name is an error.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(name: "", sequence: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: name = try cursor.text(bytes)
            case 2: sequence = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
        guard !name.utf8.isEmpty else { throw CanonicalError(.missingField(1), at: cursor.offset) }
    }
}

public import ChronicleValues

/// The payload of a bookmark record: it sets, moves or removes the bookmark of that name.
public struct Bookmark: Sendable, Equatable {
    public static let nameBytesMax = 64

    /// The name, 1 to `nameBytesMax` bytes.
    public var name: String
    /// The sequence that the name refers to; 0 is before the first record.
    public var sequence: UInt64
    public var isWithdrawn = false

    public init(name: String, sequence: UInt64) {
        self.name = name
        self.sequence = sequence
    }

    public init(withdrawing name: String) {
        self.init(name: name, sequence: 0)
        isWithdrawn = true
    }
}

extension Bookmark: CanonicalCodable {
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, name)
        writer.field(2, sequence)
        writer.field(3, isWithdrawn)
    }

    /// Decodes a bookmark; a missing or overlong name is an error.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(name: "", sequence: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: name = try cursor.text(bytes)
            case 2: sequence = try cursor.uint(bytes)
            case 3: isWithdrawn = try cursor.bool(bytes)
            default: throw cursor.unknown()
            }
        }
        guard !name.utf8.isEmpty else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        // An export can contain any name.
        guard name.utf8.count <= Self.nameBytesMax else { throw CanonicalError(.notCanonical, at: cursor.offset) }
    }
}

public import ChronicleValues

/// The payload of a bookmark record: a name for a place in the log.
///
/// The same name again moves it, and can take it away.
public struct Bookmark: Sendable, Equatable {
    /// UTF-8 bytes of a name.
    public static let nameBytesMax = 64

    /// The name, 1 to `nameBytesMax` bytes.
    public var name: String
    /// The sequence that it names; 0 is before everything.
    public var sequence: UInt64
    /// Whether the name stands for nothing from then on.
    public var isWithdrawn = false

    public init(name: String, sequence: UInt64) {
        self.name = name
        self.sequence = sequence
    }

    /// Makes what takes a name away.
    public init(withdrawing name: String) {
        self.init(name: name, sequence: 0)
        isWithdrawn = true
    }
}

extension Bookmark: CanonicalCodable {
    /// Writes what has not its initial value.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, name)
        writer.field(2, sequence)
        writer.field(3, isWithdrawn)
    }

    /// Reads a bookmark; one without a name, or with one that no row can have, is an error.
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
        // Whoever writes an export can write any name into it.
        guard name.utf8.count <= Self.nameBytesMax else { throw CanonicalError(.notCanonical, at: cursor.offset) }
    }
}

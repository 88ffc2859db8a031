public import ChronicleValues

/// A standing condition on every state: what the record of one holds, and the head row for as long as it stands.
public struct Invariant: Sendable, Equatable {
    /// UTF-8 bytes of a name.
    public static let nameBytesMax = 64
    /// UTF-8 bytes of a condition.
    public static let textBytesMax = 512

    /// The name, 1 to `nameBytesMax` bytes.
    public var name: String
    /// The condition, at most `textBytesMax` bytes; empty in a record that takes it away.
    public var text: String
    /// The uid of who set it; 0 in the record, whose origin says it.
    public var origin: UInt32
    /// The record that says so; 0 in that record itself.
    public var record: UInt64

    public init(name: String, text: String, origin: UInt32 = 0, record: UInt64 = 0) {
        self.name = name
        self.text = text
        self.origin = origin
        self.record = record
    }

    /// Whether the record takes away the one of that name.
    public var isWithdrawn: Bool { text.utf8.isEmpty }
}

extension Invariant: CanonicalCodable {
    /// Fields: 1 name, 2 text, 3 origin, 4 record.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, name)
        writer.field(2, text)
        writer.field(3, UInt64(origin))
        writer.field(4, record)
    }

    /// Reads an invariant; one without a name, or with a longer one or a longer text than there may be, is an error.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(name: "", text: "")
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: name = try cursor.text(bytes)
            case 2: text = try cursor.text(bytes)
            case 3: origin = try cursor.uint32(bytes)
            case 4: record = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
        guard 1...Self.nameBytesMax ~= name.utf8.count, text.utf8.count <= Self.textBytesMax else {
            throw CanonicalError(.notCanonical, at: cursor.offset)
        }
    }
}

extension [Invariant] {
    /// The invariants that stand once a record says that one is set, set anew or taken away.
    public mutating func apply(_ change: Invariant, of record: UInt64, by origin: UInt32) {
        removeAll { $0.name.hasSameBytes(as: change.name) }
        guard !change.isWithdrawn else { return }
        append(Invariant(name: change.name, text: change.text, origin: origin, record: record))
    }
}

public import ChronicleValues

/// A condition that every state must meet: the payload of its record, and an entry of the head row while it is active.
public struct Invariant: Sendable, Equatable {
    public static let nameBytesMax = 64
    public static let textBytesMax = 512

    public var name: String
    /// The condition, at most `textBytesMax` bytes; empty in a record that removes it.
    public var text: String
    /// The uid that set it; 0 in the record, whose header has the origin.
    public var origin: UInt32
    /// The record that set it; 0 in that record itself.
    public var record: UInt64

    public init(name: String, text: String, origin: UInt32 = 0, record: UInt64 = 0) {
        self.name = name
        self.text = text
        self.origin = origin
        self.record = record
    }

    public var isWithdrawn: Bool { text.utf8.isEmpty }
}

extension Invariant: RowCoding {
    public init() { self.init(name: "", text: "") }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &name)
        try fields.field(2, &text)
        try fields.field(3, &origin)
        try fields.field(4, &record)
    }

    public var isValid: Bool { 1...Self.nameBytesMax ~= name.utf8.count && text.utf8.count <= Self.textBytesMax }
}

extension [Invariant] {
    /// Applies an invariant record: sets, replaces or removes the invariant of that name.
    public mutating func apply(_ change: Invariant, of record: UInt64, by origin: UInt32) {
        removeAll { $0.name.hasSameBytes(as: change.name) }
        guard !change.isWithdrawn else { return }
        append(Invariant(name: change.name, text: change.text, origin: origin, record: record))
    }
}

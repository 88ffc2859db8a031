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

extension Bookmark: RowCoding {
    public init() { self.init(name: "", sequence: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &name)
        try fields.field(2, &sequence)
        try fields.field(3, &isWithdrawn)
    }

    /// An export can contain any name.
    public var isValid: Bool { 1...Self.nameBytesMax ~= name.utf8.count }
}

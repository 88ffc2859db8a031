import ChronicleValues

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

extension BookmarkRow: RowCoding {
    public init() { self.init(name: "", sequence: 0, record: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        // The name is the key of the row.
        try fields.field(1, &sequence)
        try fields.field(2, &record)
    }
}

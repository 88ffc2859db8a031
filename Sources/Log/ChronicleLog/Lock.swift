public import ChronicleValues

/// A lock against dispatches: the payload of a lock record, and part of the head row while it is active.
public struct Lock: Sendable, Equatable {
    public static let reasonBytesMax = 1_024

    /// The reason given to refused callers, 1 to `reasonBytesMax` bytes.
    public var reason: String
    /// The uid that locked; 0 in the record, whose header has the origin.
    public var origin: UInt32
    /// The record that locked; 0 in that record itself.
    public var record: UInt64

    public init(reason: String, origin: UInt32 = 0, record: UInt64 = 0) {
        self.reason = reason
        self.origin = origin
        self.record = record
    }
}

extension Lock: RowCoding {
    public init() { self.init(reason: "") }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &reason)
        try fields.field(2, &origin)
        try fields.field(3, &record)
    }

    public var isValid: Bool { 1...Self.reasonBytesMax ~= reason.utf8.count }
}

public enum LockChange: Sendable, Equatable {
    case lock(Lock)
    case unlock
}

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

extension Lock: CanonicalCodable {
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, reason)
        writer.field(2, UInt64(origin))
        writer.field(3, record)
    }

    /// Decodes a lock; a missing or overlong reason is an error.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(reason: "")
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: reason = try cursor.text(bytes)
            case 2: origin = try cursor.uint32(bytes)
            case 3: record = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
        guard 1...Self.reasonBytesMax ~= reason.utf8.count else { throw CanonicalError(.notCanonical, at: cursor.offset) }
    }
}

public enum LockChange: Sendable, Equatable {
    case lock(Lock)
    case unlock
}

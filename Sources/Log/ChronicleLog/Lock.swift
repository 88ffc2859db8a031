public import ChronicleValues

/// That nothing is dispatched any more until somebody says otherwise: what a lock record holds, and the head row for as long as it lasts.
public struct Lock: Sendable, Equatable {
    /// UTF-8 bytes of a reason.
    public static let reasonBytesMax = 1_024

    /// Why, for whoever is refused; 1 to `reasonBytesMax` bytes.
    public var reason: String
    /// The uid of who locked; 0 in the record, whose origin says it.
    public var origin: UInt32
    /// The record that says so; 0 in that record itself.
    public var record: UInt64

    public init(reason: String, origin: UInt32 = 0, record: UInt64 = 0) {
        self.reason = reason
        self.origin = origin
        self.record = record
    }
}

extension Lock: CanonicalCodable {
    /// Fields: 1 reason, 2 origin, 3 record.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, reason)
        writer.field(2, UInt64(origin))
        writer.field(3, record)
    }

    /// Reads a lock; one without a reason, or with a longer one, is an error.
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

/// What a flush does to the lock.
public enum LockChange: Sendable, Equatable {
    /// Nothing is dispatched from now on.
    case lock(Lock)
    /// Dispatches go on.
    case unlock
}

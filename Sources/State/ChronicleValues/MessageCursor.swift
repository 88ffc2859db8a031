/// A cursor for a reader that asks for the fields of a message by their numbers, in ascending order.
public struct MessageCursor {
    // Valid during the closure in which this cursor is used.
    public let pointer: UnsafeRawBufferPointer
    public var cursor: CanonicalCursor
    /// The number of the field at the cursor; 0 at the end.
    public var next: UInt32

    @inlinable @inline(__always)
    public init(_ pointer: UnsafeRawBufferPointer, _ cursor: CanonicalCursor) throws(CanonicalError) {
        self.pointer = pointer
        self.cursor = cursor
        next = try self.cursor.nextField(in: RawSpan(_unsafeBytes: pointer)) ?? 0
    }

    /// Reads the field at the cursor with the closure, and moves on to the next one.
    @inlinable @inline(__always)
    public mutating func take(_ body: (inout CanonicalCursor, RawSpan) throws(CanonicalError) -> Void) throws(CanonicalError) {
        let bytes = RawSpan(_unsafeBytes: pointer)
        try body(&cursor, bytes)
        next = try cursor.nextField(in: bytes) ?? 0
    }

    /// A cursor in the message at this one; moves on to the field after it.
    public mutating func enter() throws(CanonicalError) -> MessageCursor {
        var inner = cursor
        try take { (cursor, bytes) throws(CanonicalError) in inner = try cursor.enter(bytes) }
        return try MessageCursor(pointer, inner)
    }

    /// The cursor after the last field; a field that was not taken is an error.
    @inlinable public func finish() throws(CanonicalError) -> CanonicalCursor {
        guard next == 0 else { throw cursor.isRepeated ? CanonicalError(.outOfOrder(next), at: cursor.offset) : cursor.unknown() }
        return cursor
    }
}

/// A position in canonical bytes, which are passed to each call.
///
/// A reader calls `nextField` until it returns nil, reads each field by its number and throws `unknown()` for an unknown number.
/// Elements of a list repeat their number.
public struct CanonicalCursor: Sendable {
    public var offset: Int
    /// The end of the current message.
    public let end: Int
    @usableFromInline var number: UInt32 = 0
    @usableFromInline var kind: UInt64 = 0

    /// - Parameter range: the bytes of one message.
    @inlinable public init(_ range: Range<Int>) { (offset, end) = (range.lowerBound, range.upperBound) }
    @inlinable public var isAtEnd: Bool { offset == end }

    /// Returns the number of the next field; nil at the end of the message.
    ///
    /// A repeated number is a further element of a list. A reader of a single field must check `isRepeated`.
    @inlinable public mutating func nextField(in bytes: RawSpan) throws(CanonicalError) -> UInt32? {
        guard offset < end else { return nil }
        let tag = try varint(bytes)
        let next = tag >> 2
        guard tag & 3 < 2 else { throw CanonicalError(.wrongKind, at: offset) }
        guard next > 0, next <= UInt64(UInt32.max) else { throw CanonicalError(.notCanonical, at: offset) }
        guard next >= UInt64(number) else { throw CanonicalError(.outOfOrder(UInt32(next)), at: offset) }
        isRepeated = next == UInt64(number)
        number = UInt32(next)
        kind = tag & 3
        return number
    }

    /// Whether the current field has the same number as the previous one.
    public var isRepeated = false

    @inlinable public func unknown() -> CanonicalError { CanonicalError(.unknownField(number), at: offset) }

    /// Reads an unsigned number; 0 is not canonical, because a default value is omitted.
    @inlinable public mutating func uint(_ bytes: RawSpan) throws(CanonicalError) -> UInt64 {
        guard kind == 0 else { throw CanonicalError(.wrongKind, at: offset) }
        try single()
        let value = try varint(bytes)
        guard value != 0 else { throw CanonicalError(.notCanonical, at: offset) }
        return value
    }

    @inlinable public mutating func uint32(_ bytes: RawSpan) throws(CanonicalError) -> UInt32 {
        guard let value = UInt32(exactly: try uint(bytes)) else { throw CanonicalError(.notCanonical, at: offset) }
        return value
    }

    /// Reads a zigzag-encoded signed number.
    @inlinable public mutating func int(_ bytes: RawSpan) throws(CanonicalError) -> Int64 {
        let value = try uint(bytes)
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    @inlinable public mutating func bool(_ bytes: RawSpan) throws(CanonicalError) -> Bool {
        guard try uint(bytes) == 1 else { throw CanonicalError(.notCanonical, at: offset) }
        return true
    }

    /// Reads an element of a list of numbers; may be 0.
    @inlinable public mutating func uintElement(_ bytes: RawSpan) throws(CanonicalError) -> UInt64 {
        guard kind == 0 else { throw CanonicalError(.wrongKind, at: offset) }
        return try varint(bytes)
    }

    /// Reads a nested message that must not be repeated.
    @inlinable public mutating func singleMessage<Message: CanonicalCodable>(
        _ bytes: RawSpan, as type: Message.Type = Message.self
    ) throws(CanonicalError) -> Message {
        try single()
        return try message(bytes, as: type)
    }

    /// Returns a cursor over a nested message that must not be repeated.
    @inlinable public mutating func enterSingle(_ bytes: RawSpan) throws(CanonicalError) -> CanonicalCursor {
        try single()
        return try enter(bytes)
    }

    /// Reads a text that must not be repeated or empty.
    @inlinable public mutating func text(_ bytes: RawSpan) throws(CanonicalError) -> String {
        try single()
        let text = try textElement(bytes)
        guard !text.utf8.isEmpty else { throw CanonicalError(.notCanonical, at: offset) }
        return text
    }

    /// Reads an element of a list of texts; may be empty.
    @inlinable public mutating func textElement(_ bytes: RawSpan) throws(CanonicalError) -> String {
        let range = try lengthDelimited(bytes)
        let span = bytes.extracting(range)
        do {
            return String(copying: try UTF8Span(validating: Span<UInt8>(_bytes: span)))
        } catch {
            throw CanonicalError(.invalidText, at: range.lowerBound)
        }
    }

    /// Reads bytes that must not be repeated or empty.
    @inlinable public mutating func bytes(_ bytes: RawSpan) throws(CanonicalError) -> [UInt8] {
        try single()
        let range = try lengthDelimited(bytes)
        guard !range.isEmpty else { throw CanonicalError(.notCanonical, at: offset) }
        var copy: [UInt8] = []
        copy.reserveCapacity(range.count)
        for index in range { copy.append(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)) }
        return copy
    }

    /// Reads a nested message or an element of a list of messages.
    @inlinable public mutating func message<Message: CanonicalCodable>(
        _ bytes: RawSpan, as type: Message.Type = Message.self
    ) throws(CanonicalError) -> Message {
        var inner = try enter(bytes)
        let message = try Message(from: bytes, &inner)
        guard inner.isAtEnd else { throw CanonicalError(.trailingBytes, at: inner.offset) }
        return message
    }

    /// Returns a cursor over a nested message and advances past it.
    @inlinable public mutating func enter(_ bytes: RawSpan) throws(CanonicalError) -> CanonicalCursor {
        CanonicalCursor(try lengthDelimited(bytes))
    }

    @inlinable func single() throws(CanonicalError) {
        guard !isRepeated else { throw CanonicalError(.outOfOrder(number), at: offset) }
    }

    @inlinable mutating func lengthDelimited(_ bytes: RawSpan) throws(CanonicalError) -> Range<Int> {
        guard kind == 1 else { throw CanonicalError(.wrongKind, at: offset) }
        let length = try varint(bytes)
        guard length <= UInt64(end - offset) else { throw CanonicalError(.truncated, at: offset) }
        let range = offset..<offset + Int(length)
        offset = range.upperBound
        return range
    }

    @inlinable @inline(__always) public mutating func varint(_ bytes: RawSpan) throws(CanonicalError) -> UInt64 {
        guard offset < end else { throw CanonicalError(.truncated, at: offset) }
        let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        guard byte >= 0x80 else {
            offset += 1
            return UInt64(byte)
        }
        return try longVarint(bytes)
    }

    @usableFromInline mutating func longVarint(_ bytes: RawSpan) throws(CanonicalError) -> UInt64 {
        if end - offset >= 8, let value = try varintOfEight(bytes) { return value }
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            guard offset < end else { throw CanonicalError(.truncated, at: offset) }
            let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            offset += 1
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || (shift == 63 && bits <= 1) else { throw CanonicalError(.notCanonical, at: offset) }
            value |= bits << shift
            if byte & 0x80 == 0 {
                guard bits != 0 else { throw CanonicalError(.notCanonical, at: offset) }
                return value
            }
            shift += 7
        }
    }

    // Reads a varint of up to eight bytes with one load and three shifts instead of a loop; nil if it is longer. Timestamps have
    // this size, and every record contains two of them.
    @inline(__always) private mutating func varintOfEight(_ bytes: RawSpan) throws(CanonicalError) -> UInt64? {
        let word = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let ends = ~word & 0x8080_8080_8080_8080
        guard ends != 0 else { return nil }
        // Keeps all bits up to the first final byte, then merges the groups of seven bits pairwise.
        var value = word & (ends ^ (ends &- 1))
        value = (value & 0x007F_007F_007F_007F) | (value & 0x7F00_7F00_7F00_7F00) >> 1
        value = (value & 0x0000_3FFF_0000_3FFF) | (value & 0x3FFF_0000_3FFF_0000) >> 2
        value = (value & 0x0FFF_FFFF) | (value & 0x0FFF_FFFF_0000_0000) >> 4
        let length = (ends.trailingZeroBitCount &+ 1) / 8
        offset += length
        guard value >> (7 &* UInt64(length &- 1)) != 0 else { throw CanonicalError(.notCanonical, at: offset) }
        return value
    }
}

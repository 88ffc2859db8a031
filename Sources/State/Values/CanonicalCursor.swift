/// A place in canonical bytes; the bytes themselves are lent to each call.
///
/// Reading follows one pattern: while `nextField` gives a field, read it by its number, and answer an unknown number
/// with `unknown()`. Members of a list repeat their number.
public struct CanonicalCursor: Sendable {
    /// The next byte to read.
    @inlinable public var offset: Int { position }
    /// The end of the message that is being read.
    @inlinable public var end: Int { limit }
    @usableFromInline var position: Int
    @usableFromInline var limit: Int
    @usableFromInline var number: UInt32 = 0
    @usableFromInline var kind: UInt64 = 0

    /// A cursor over a range of bytes that holds one message.
    @inlinable
    public init(_ range: Range<Int>) {
        position = range.lowerBound
        limit = range.upperBound
    }

    /// Whether everything has been read.
    @inlinable public var isAtEnd: Bool { offset == end }

    /// The number of the next field, or `nil` at the end of the message.
    ///
    /// A number that repeats the one before is a further member of a list; whoever reads a single field checks `isRepeated`.
    @inlinable
    public mutating func nextField(in bytes: RawSpan) throws(CanonicalError) -> UInt32? {
        guard offset < end else { return nil }
        let tag = try varint(bytes)
        let next = tag >> 2
        guard tag & 3 < 2 else { throw CanonicalError(.wrongKind, at: offset) }
        guard next > 0, next <= UInt64(UInt32.max) else { throw CanonicalError(.notCanonical, at: offset) }
        guard next >= UInt64(number) else { throw CanonicalError(.outOfOrder(UInt32(next)), at: offset) }
        isSameNumber = next == UInt64(number)
        number = UInt32(next)
        kind = tag & 3
        return number
    }

    /// Whether the current field has the same number as the one before it.
    @inlinable public var isRepeated: Bool { isSameNumber }
    @usableFromInline var isSameNumber = false

    /// The error for a number that the reader does not know.
    @inlinable
    public func unknown() -> CanonicalError { CanonicalError(.unknownField(number), at: offset) }

    /// Reads a number; a field's initial value, 0, is never written.
    @inlinable
    public mutating func uint(_ bytes: RawSpan) throws(CanonicalError) -> UInt64 {
        guard kind == 0 else { throw CanonicalError(.wrongKind, at: offset) }
        try single()
        let value = try varint(bytes)
        guard value != 0 else { throw CanonicalError(.notCanonical, at: offset) }
        return value
    }

    /// Reads a number of 32 bits.
    @inlinable
    public mutating func uint32(_ bytes: RawSpan) throws(CanonicalError) -> UInt32 {
        guard let value = UInt32(exactly: try uint(bytes)) else { throw CanonicalError(.notCanonical, at: offset) }
        return value
    }

    /// Reads a signed number.
    @inlinable
    public mutating func int(_ bytes: RawSpan) throws(CanonicalError) -> Int64 {
        let value = try uint(bytes)
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// Reads a truth value.
    @inlinable
    public mutating func bool(_ bytes: RawSpan) throws(CanonicalError) -> Bool {
        guard try uint(bytes) == 1 else { throw CanonicalError(.notCanonical, at: offset) }
        return true
    }

    /// Reads a member of a list of numbers, which may be 0.
    @inlinable
    public mutating func uintElement(_ bytes: RawSpan) throws(CanonicalError) -> UInt64 {
        guard kind == 0 else { throw CanonicalError(.wrongKind, at: offset) }
        return try varint(bytes)
    }

    /// Reads a nested message of which there is at most one.
    @inlinable
    public mutating func singleMessage<Message: CanonicalCodable>(
        _ bytes: RawSpan, as type: Message.Type = Message.self
    ) throws(CanonicalError) -> Message {
        try single()
        return try message(bytes, as: type)
    }

    /// A cursor over a nested message of which there is at most one.
    @inlinable
    public mutating func enterSingle(_ bytes: RawSpan) throws(CanonicalError) -> CanonicalCursor {
        try single()
        return try enter(bytes)
    }

    /// Reads a single text, never empty.
    @inlinable
    public mutating func text(_ bytes: RawSpan) throws(CanonicalError) -> String {
        try single()
        let text = try textElement(bytes)
        guard !text.utf8.isEmpty else { throw CanonicalError(.notCanonical, at: offset) }
        return text
    }

    /// Reads a member of a list of texts, which may be empty.
    @inlinable
    public mutating func textElement(_ bytes: RawSpan) throws(CanonicalError) -> String {
        let range = try lengthDelimited(bytes)
        let span = bytes.extracting(range)
        do {
            return String(copying: try UTF8Span(validating: Span<UInt8>(_bytes: span)))
        } catch {
            throw CanonicalError(.invalidText, at: range.lowerBound)
        }
    }

    /// Reads single bytes, never empty.
    @inlinable
    public mutating func bytes(_ bytes: RawSpan) throws(CanonicalError) -> [UInt8] {
        try single()
        let range = try lengthDelimited(bytes)
        guard !range.isEmpty else { throw CanonicalError(.notCanonical, at: offset) }
        var copy: [UInt8] = []
        copy.reserveCapacity(range.count)
        for index in range { copy.append(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)) }
        return copy
    }

    /// Reads a nested message, or a member of a list of them.
    @inlinable
    public mutating func message<Message: CanonicalCodable>(
        _ bytes: RawSpan, as type: Message.Type = Message.self
    ) throws(CanonicalError) -> Message {
        var inner = try enter(bytes)
        let message = try Message(from: bytes, &inner)
        guard inner.isAtEnd else { throw CanonicalError(.trailingBytes, at: inner.offset) }
        return message
    }

    /// A cursor over a nested message, which counts as read.
    @inlinable
    public mutating func enter(_ bytes: RawSpan) throws(CanonicalError) -> CanonicalCursor {
        CanonicalCursor(try lengthDelimited(bytes))
    }

    @inlinable
    func single() throws(CanonicalError) {
        guard !isRepeated else { throw CanonicalError(.outOfOrder(number), at: offset) }
    }

    @inlinable
    mutating func lengthDelimited(_ bytes: RawSpan) throws(CanonicalError) -> Range<Int> {
        guard kind == 1 else { throw CanonicalError(.wrongKind, at: offset) }
        let length = try varint(bytes)
        guard length <= UInt64(end - offset) else { throw CanonicalError(.truncated, at: offset) }
        let range = offset..<offset + Int(length)
        position = range.upperBound
        return range
    }

    /// Reads a number without a tag.
    @inlinable
    @inline(__always)
    public mutating func varint(_ bytes: RawSpan) throws(CanonicalError) -> UInt64 {
        guard position < limit else { throw CanonicalError(.truncated, at: position) }
        let byte = bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
        guard byte >= 0x80 else {
            position += 1
            return UInt64(byte)
        }
        return try longVarint(bytes)
    }

    @usableFromInline
    mutating func longVarint(_ bytes: RawSpan) throws(CanonicalError) -> UInt64 {
        if limit - position >= 8, let value = try varintOfEight(bytes) { return value }
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            guard position < limit else { throw CanonicalError(.truncated, at: position) }
            let byte = bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
            position += 1
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || (shift == 63 && bits <= 1) else { throw CanonicalError(.notCanonical, at: position) }
            value |= bits << shift
            if byte & 0x80 == 0 {
                guard bits != 0 else { throw CanonicalError(.notCanonical, at: position) }
                return value
            }
            shift += 7
        }
    }

    // A number of at most eight bytes, which times are: read in one load, and in three steps instead of eight rounds.
    // Every record has two of them; `nil` for a longer one.
    @inline(__always)
    private mutating func varintOfEight(_ bytes: RawSpan) throws(CanonicalError) -> UInt64? {
        let word = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
        let ends = ~word & 0x8080_8080_8080_8080
        guard ends != 0 else { return nil }
        // All bits up to the first that ends a number; then the sevens are moved together by pairs.
        var value = word & (ends ^ (ends &- 1))
        value = (value & 0x007F_007F_007F_007F) | (value & 0x7F00_7F00_7F00_7F00) >> 1
        value = (value & 0x0000_3FFF_0000_3FFF) | (value & 0x3FFF_0000_3FFF_0000) >> 2
        value = (value & 0x0FFF_FFFF) | (value & 0x0FFF_FFFF_0000_0000) >> 4
        let length = (ends.trailingZeroBitCount &+ 1) / 8
        position += length
        guard value >> (7 &* UInt64(length &- 1)) != 0 else { throw CanonicalError(.notCanonical, at: position) }
        return value
    }
}

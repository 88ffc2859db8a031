/// Encodes a message canonically.
///
/// `field` methods omit a default value (0, false, empty). `element` methods always write, for elements of lists.
public struct CanonicalWriter: Sendable {
    public var bytes: [UInt8]

    @inlinable public init() { bytes = [] }

    /// Appends to an existing buffer.
    @inlinable public init(appendingTo bytes: consuming [UInt8]) { self.bytes = bytes }

    @inlinable public mutating func field(_ number: UInt32, _ value: UInt64) {
        guard value != 0 else { return }
        tag(number, kind: 0)
        varint(value)
    }

    /// Writes a signed number with zigzag encoding.
    @inlinable public mutating func field(_ number: UInt32, _ value: Int64) {
        field(number, UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    @inlinable public mutating func field(_ number: UInt32, _ value: Bool) { field(number, value ? 1 : 0 as UInt64) }

    @inlinable public mutating func field(_ number: UInt32, _ value: String) {
        guard !value.utf8.isEmpty else { return }
        element(number, value)
    }

    @inlinable public mutating func field(_ number: UInt32, _ value: [UInt8]) {
        guard !value.isEmpty else { return }
        tag(number, kind: 1)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Writes a text even if it is empty, as an element of a list.
    @inlinable public mutating func element(_ number: UInt32, _ value: String) {
        tag(number, kind: 1)
        let utf8 = value.utf8
        varint(UInt64(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    /// Writes a number even if it is 0: an element of a list, or a value whose presence is significant.
    @inlinable public mutating func element(_ number: UInt32, _ value: UInt64) {
        tag(number, kind: 0)
        varint(value)
    }

    /// Writes a signed number with zigzag encoding, even if it is 0.
    @inlinable public mutating func element(_ number: UInt32, _ value: Int64) {
        element(number, UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    /// Writes a nested message even if it has no fields; also an element of a list.
    @inlinable public mutating func message(_ number: UInt32, _ body: (inout CanonicalWriter) -> Void) {
        let lengthAt = beginMessage(number)
        body(&self)
        endMessage(from: lengthAt)
    }

    /// Begins a nested message; returns the offset of its length for ``endMessage(from:)``.
    @inlinable public mutating func beginMessage(_ number: UInt32) -> Int {
        tag(number, kind: 1)
        bytes.append(0)
        return bytes.count - 1
    }

    /// Begins a nested message of known length, which needs no `endMessage`.
    @inlinable public mutating func beginMessage(_ number: UInt32, byteCount: Int) {
        tag(number, kind: 1)
        varint(UInt64(byteCount))
    }

    /// Writes a nested value even if it has no fields.
    @inlinable public mutating func message(_ number: UInt32, _ value: some CanonicalCodable) {
        message(number) { value.encode(into: &$0) }
    }

    /// Writes a nested value unless it has no fields.
    @inlinable public mutating func field(_ number: UInt32, _ value: some CanonicalCodable) {
        let start = bytes.count
        message(number, value)
        // An empty message consists of its tag and the length 0.
        if bytes[bytes.count - 1] == 0, bytes.count - start == 1 + Self.varintLength(UInt64(number) << 2 | 1) {
            bytes.removeLast(bytes.count - start)
        }
    }

    @usableFromInline static func varintLength(_ value: UInt64) -> Int { max(1, (70 - value.leadingZeroBitCount) / 7) }

    @inlinable mutating func tag(_ number: UInt32, kind: UInt64) {
        varint(UInt64(number) << 2 | kind)
    }

    /// Writes a varint without a tag.
    @inlinable public mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Ends a nested message by filling in its length.
    ///
    /// One byte is reserved for the length; a longer one moves the body.
    @inlinable public mutating func endMessage(from lengthAt: Int) {
        let length = UInt64(bytes.count - lengthAt - 1)
        if length < 0x80 {
            bytes[lengthAt] = UInt8(length)
            return
        }
        var prefix = CanonicalWriter()
        prefix.varint(length)
        bytes.replaceSubrange(lengthAt...lengthAt, with: prefix.bytes)
    }
}

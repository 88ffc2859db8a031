/// A value with exactly one binary encoding: equal values have equal bytes on every machine and in every release.
///
/// A message is a sequence of fields in ascending order of their numbers. A field is a tag, `number << 2 | kind` as a varint,
/// followed by a varint (kind 0) or by a varint length and that many bytes (kind 1: text, bytes or a nested message). A field
/// with its default value is omitted. Field numbers are never reused.
public protocol CanonicalCodable: Sendable {
    /// Writes the fields that differ from their default values, in ascending order.
    func encode(into writer: inout CanonicalWriter)
    /// Reads all fields up to the cursor's end; throws if the bytes are not canonical.
    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError)
    /// Passes the canonical bytes to a closure in chunks, so that a large value is never held in memory as a whole.
    func forEachPiece(_ body: ([UInt8]) -> Void)
}

extension CanonicalCodable {
    @inlinable public var canonicalBytes: [UInt8] {
        var writer = CanonicalWriter()
        encode(into: &writer)
        return writer.bytes
    }

    @inlinable public func forEachPiece(_ body: ([UInt8]) -> Void) { body(canonicalBytes) }
    @inlinable public init(canonical bytes: [UInt8]) throws(CanonicalError) { try self.init(canonical: bytes.span.bytes) }

    @inlinable public init(canonical bytes: RawSpan) throws(CanonicalError) {
        var cursor = CanonicalCursor(0..<bytes.byteCount)
        try self.init(from: bytes, &cursor)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
    }
}

extension Never: CanonicalCodable {
    public func encode(into writer: inout CanonicalWriter) {}
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        throw CanonicalError(.unknownField(0), at: cursor.offset)
    }
}

/// Encodes a message canonically.
///
/// `field` methods omit a default value (0, false, empty). `element` methods always write, for elements of lists.
public struct CanonicalWriter: Sendable {
    public var bytes: [UInt8]

    @inlinable public init() { bytes = [] }
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

/// Bytes that are not a canonical encoding known to this build.
public struct CanonicalError: Error, Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        case truncated
        /// An unknown field number, presumably written by a newer version.
        case unknownField(UInt32)
        /// A field number that is not greater than the previous one.
        case outOfOrder(UInt32)
        /// A varint that is not encoded in its shortest form, or that is too large for its type.
        case notCanonical
        case wrongKind
        case invalidText
        case missingField(UInt32)
        case trailingBytes
    }

    public var reason: Reason
    public var offset: Int

    @inlinable public init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }

    /// A description without a full stop.
    public var sentence: String {
        if case .unknownField(let number) = reason {
            return "a newer version wrote it: it has a field or case \(number) that this version does not know"
        }
        return "it can't be read by this version: \(reason)"
    }
}

/// Collects the canonical bytes of a message.
///
/// Methods named `field` leave an initial value (0, false, empty) out; `element` always writes, for the members of a list.
public struct CanonicalWriter: Sendable {
    /// What has been written.
    public var bytes: [UInt8]

    /// Begins with nothing.
    @inlinable
    public init() { bytes = [] }

    /// Begins behind what stands in a buffer already.
    @inlinable
    public init(appendingTo bytes: consuming [UInt8]) { self.bytes = bytes }

    @inlinable
    public mutating func field(_ number: UInt32, _ value: UInt64) {
        guard value != 0 else { return }
        tag(number, kind: 0)
        varint(value)
    }

    /// A signed number, in zigzag form.
    @inlinable
    public mutating func field(_ number: UInt32, _ value: Int64) {
        field(number, UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    @inlinable
    public mutating func field(_ number: UInt32, _ value: Bool) { field(number, value ? 1 : 0 as UInt64) }

    @inlinable
    public mutating func field(_ number: UInt32, _ value: String) {
        guard !value.utf8.isEmpty else { return }
        element(number, value)
    }

    /// Bytes.
    @inlinable
    public mutating func field(_ number: UInt32, _ value: [UInt8]) {
        guard !value.isEmpty else { return }
        tag(number, kind: 1)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// A text that is written even when empty, as a member of a list.
    @inlinable
    public mutating func element(_ number: UInt32, _ value: String) {
        tag(number, kind: 1)
        let utf8 = value.utf8
        varint(UInt64(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    /// A number that is written even when 0: a member of a list, or a value whose presence means something.
    @inlinable
    public mutating func element(_ number: UInt32, _ value: UInt64) {
        tag(number, kind: 0)
        varint(value)
    }

    /// A signed number that is written even when 0.
    @inlinable
    public mutating func element(_ number: UInt32, _ value: Int64) {
        element(number, UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    /// A nested message, written even when it has no fields; also a member of a list.
    @inlinable
    public mutating func message(_ number: UInt32, _ body: (inout CanonicalWriter) -> Void) {
        let lengthAt = beginMessage(number)
        body(&self)
        endMessage(from: lengthAt)
    }

    /// Begins a nested message; where its length is to stand.
    @inlinable
    public mutating func beginMessage(_ number: UInt32) -> Int {
        tag(number, kind: 1)
        bytes.append(0)
        return bytes.count - 1
    }

    /// Begins a nested message whose length is known.
    @inlinable
    public mutating func beginMessage(_ number: UInt32, byteCount: Int) {
        tag(number, kind: 1)
        varint(UInt64(byteCount))
    }

    /// A nested value, written even when it has no fields.
    @inlinable
    public mutating func message(_ number: UInt32, _ value: some CanonicalCodable) {
        message(number) { value.encode(into: &$0) }
    }

    /// A nested value that is left out when it has no fields.
    @inlinable
    public mutating func field(_ number: UInt32, _ value: some CanonicalCodable) {
        let start = bytes.count
        message(number, value)
        // An empty message is its tag and the length 0.
        if bytes[bytes.count - 1] == 0, bytes.count - start == 1 + Self.varintLength(UInt64(number) << 2 | 1) {
            bytes.removeLast(bytes.count - start)
        }
    }

    @usableFromInline
    static func varintLength(_ value: UInt64) -> Int { max(1, (70 - value.leadingZeroBitCount) / 7) }

    @inlinable
    mutating func tag(_ number: UInt32, kind: UInt64) {
        varint(UInt64(number) << 2 | kind)
    }

    /// A number without a tag, for what is no message.
    @inlinable
    public mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Ends the message whose length is to stand there.
    ///
    /// One byte was kept for the length; a longer one moves the body.
    @inlinable
    public mutating func endMessage(from lengthAt: Int) {
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

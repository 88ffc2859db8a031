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
    /// Always throws.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        throw CanonicalError(.unknownField(0), at: cursor.offset)
    }
}

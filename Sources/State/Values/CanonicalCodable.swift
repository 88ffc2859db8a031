/// Has exactly one binary form: equal values have equal bytes, on every machine, in every release.
///
/// A message is its fields in ascending order of their numbers. A field is a tag, `number << 2 | kind` as a varint, and
/// then a varint (kind 0) or a varint length and that many bytes (kind 1: text, bytes, a nested message). A field with
/// its initial value is left out. A number, once given, is never given to something else.
public protocol CanonicalCodable: Sendable {
    /// Writes the fields that differ from their initial value, in ascending order.
    func encode(into writer: inout CanonicalWriter)
    /// Reads all fields up to the cursor's end; anything not canonical is an error.
    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError)
    /// Passes the canonical bytes to a closure in pieces; a large value passes them without ever holding all of them.
    func forEachPiece(_ body: ([UInt8]) -> Void)
}

extension CanonicalCodable {
    @inlinable public var canonicalBytes: [UInt8] {
        var writer = CanonicalWriter()
        encode(into: &writer)
        return writer.bytes
    }

    @inlinable
    public func forEachPiece(_ body: ([UInt8]) -> Void) { body(canonicalBytes) }

    /// Reads a whole buffer.
    @inlinable
    public init(canonical bytes: [UInt8]) throws(CanonicalError) {
        try self.init(canonical: bytes.span.bytes)
    }

    /// Reads a whole span.
    @inlinable
    public init(canonical bytes: RawSpan) throws(CanonicalError) {
        var cursor = CanonicalCursor(0..<bytes.byteCount)
        try self.init(from: bytes, &cursor)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
    }
}

extension Never: CanonicalCodable {
    /// Never called.
    public func encode(into writer: inout CanonicalWriter) {}
    /// Always fails: there is no such value.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        throw CanonicalError(.unknownField(0), at: cursor.offset)
    }
}

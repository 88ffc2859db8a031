public import ChronicleValues

/// The encoding of all values except records: canonical bytes, then their checksum.
///
/// The checksum is seeded with that of the row's key, so that a row under a wrong key is detected.
public enum Row {
    public static let checksumBytes = 8

    public static func append(_ value: some CanonicalCodable, key: Range<Int>, to writer: inout CanonicalWriter) {
        let start = writer.bytes.count
        value.encode(into: &writer)
        let checksum = checksum(of: writer.bytes.span.bytes, key: key, from: start)
        writer.bytes.append(littleEndian: checksum)
    }

    private static func checksum(of bytes: RawSpan, key: Range<Int>, from start: Int) -> UInt64 {
        Checksum.of(bytes.extracting(start..<bytes.byteCount), seed: Checksum.of(bytes.extracting(key)))
    }

    /// The encoded value without the key.
    public static func sealed(_ value: some CanonicalCodable, key: [UInt8]) -> [UInt8] {
        var writer = CanonicalWriter(appendingTo: key)
        append(value, key: 0..<key.count, to: &writer)
        return Array(writer.bytes[key.count...])
    }

    /// A running checksum for a row that is written in pieces; its value goes after the content.
    public static func checksum(key: [UInt8]) -> Checksum.Running { Checksum.Running(seed: Checksum.of(key.span.bytes)) }

    public static func open<Value: CanonicalCodable>(
        _ bytes: RawSpan, key: RawSpan, as type: Value.Type, sequence: UInt64, of row: @autoclosure () -> String
    ) throws(ActionLogError) -> Value {
        let end = bytes.byteCount - checksumBytes
        guard end >= 0 else { throw .damaged(sequence: sequence, what: row()) }
        let stored = bytes.littleEndian(at: end)
        let content = bytes.extracting(0..<end)
        guard Checksum.of(content, seed: Checksum.of(key)) == stored else {
            throw .damaged(sequence: sequence, what: row())
        }
        do { return try Value(canonical: content) } catch { throw ActionLogError(row: error, sequence: sequence, of: row()) }
    }
}

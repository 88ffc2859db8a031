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

/// The keys of the tables that are not keyed by a sequence.
package enum RowKey {
    package static let keyBytesMax = 64

    package static let identity = Array("header".utf8)
    package static let head = Array("head".utf8)
    package static let base = Array("base".utf8)
    package static let redactions = Array("redactions".utf8)
    package static let replica = Array("replica".utf8)
    package static let bookmark = Array("bookmark/".utf8)

    /// A client's key: the uid in big-endian order, then the key's UTF-8.
    package static func append(_ key: String, of uid: UInt32, to bytes: inout [UInt8]) throws(ActionLogError) {
        let length = key.utf8.count
        guard (1...keyBytesMax).contains(length) else { throw .keyLength(bytes: length) }
        bytes.append(bigEndian: uid)
        bytes.append(contentsOf: key.utf8)
    }

    /// A command's id: big-endian sequence and index, so that the table is in the order in which commands start.
    package static func append(_ id: CommandID, to bytes: inout [UInt8]) {
        bytes.append(bigEndian: id.sequence)
        bytes.append(bigEndian: id.index)
    }

    package static func append(bookmark name: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: bookmark)
        bytes.append(contentsOf: name.utf8)
    }

    package static func bookmarkName(_ key: RawSpan) -> String? {
        text(key, behind: bookmark)
    }

    package static func keyPlace(_ key: RawSpan) -> KeyPlace? {
        guard let uid = uid(key), let text = text(key, behind: 4) else { return nil }
        return KeyPlace(uid: uid, key: text)
    }

    package static func uid(_ key: RawSpan) -> UInt32? {
        key.byteCount > 4 ? UInt32(bigEndian: key.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt32.self)) : nil
    }

    private static func text(_ key: RawSpan, behind prefix: [UInt8]) -> String? {
        guard key.byteCount > prefix.count else { return nil }
        for index in prefix.indices where key.unsafeLoad(fromByteOffset: index, as: UInt8.self) != prefix[index] { return nil }
        return text(key, behind: prefix.count)
    }

    private static func text(_ key: RawSpan, behind count: Int) -> String? {
        let bytes = key.extracting(count..<key.byteCount)
        do { return String(copying: try UTF8Span(validating: Span<UInt8>(_bytes: bytes))) } catch { return nil }
    }

    package static func commandID(_ key: RawSpan) -> CommandID? {
        guard key.byteCount == 12 else { return nil }
        return CommandID(
            sequence: UInt64(bigEndian: key.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self)),
            index: UInt32(bigEndian: key.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt32.self)))
    }
}

/// An index of bookmarks, so that a look-up by name reads no records.
public struct BookmarkRow: Sendable, Equatable {
    /// The name; it is the row's key and not stored in the row.
    public var name: String
    public var sequence: UInt64
    /// The record that set it last.
    public var record: UInt64

    public init(name: String, sequence: UInt64, record: UInt64) {
        self.name = name
        self.sequence = sequence
        self.record = record
    }
}

extension BookmarkRow: RowCoding {
    public init() { self.init(name: "", sequence: 0, record: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        // The name is the key of the row.
        try fields.field(1, &sequence)
        try fields.field(2, &record)
    }
}

extension BookmarkRow {
    package init(_ value: RawSpan, key: RawSpan) throws(ActionLogError) {
        let name = RowKey.bookmarkName(key) ?? ""
        self = try Row.open(value, key: key, as: BookmarkRow.self, sequence: 0, of: "the row of the bookmark \(name)")
        self.name = name
    }
}

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
        guard key.byteCount > 4, let text = text(key, behind: 4) else { return nil }
        return KeyPlace(uid: UInt32(bigEndian: key.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt32.self)), key: text)
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

/// The keys of the tables that are not keyed by a sequence.
enum RowKey {
    static let keyBytesMax = 64

    /// The header and the head in the table `meta`.
    static let identity = Array("header".utf8)
    static let head = Array("head".utf8)

    /// A client's key: the uid with its highest byte first, then the key's UTF-8.
    static func append(_ key: String, of uid: UInt32, to bytes: inout [UInt8]) throws(ActionLogError) {
        let length = key.utf8.count
        guard (1...keyBytesMax).contains(length) else { throw .keyLength(bytes: length) }
        bytes.append(bigEndian: uid)
        bytes.append(contentsOf: key.utf8)
    }

    /// A command's id: sequence and index, each with its highest byte first, so that the table has the order of starting.
    static func append(_ id: CommandID, to bytes: inout [UInt8]) {
        bytes.append(bigEndian: id.sequence)
        bytes.append(bigEndian: id.index)
    }

    /// The command's id in a key of the outbox; `nil` when it is none.
    static func commandID(_ key: RawSpan) -> CommandID? {
        guard key.byteCount == 12 else { return nil }
        return CommandID(
            sequence: UInt64(bigEndian: key.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self)),
            index: UInt32(bigEndian: key.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt32.self)))
    }
}

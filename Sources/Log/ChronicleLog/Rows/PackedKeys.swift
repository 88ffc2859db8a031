internal import ChronicleValues

/// Rows of keys in the form of the table, packed: as values, millions of them would take several times the memory.
///
/// A key takes 8 bytes more than in the table: about 85, including 40 for its row and 20 to 30 for its text.
public struct PackedKeys: Sendable {
    private static let pieceBytesMax = 1 << 20

    // Each entry is the lengths, the key and its row. Small pieces, because growing a large array copies it and leaves it half
    // empty.
    private var pieces: [[UInt8]] = []
    public private(set) var count = 0
    public private(set) var byteCount = 0
    /// The last record of all their dispatches.
    public private(set) var last: UInt64 = 0

    public init() {}

    /// Adds a row; throws `keyLength` for a key that is empty or longer than `RowKey.keyBytesMax` bytes.
    public mutating func append(_ row: KeyRow, at place: KeyPlace) throws(ActionLogError) {
        var writer = CanonicalWriter()
        try RowKey.append(place.key, of: place.uid, to: &writer.bytes)
        let key = 0..<writer.bytes.count
        Row.append(row, key: key, to: &writer)
        let entryBytes = Self.lengthsBytes + writer.bytes.count
        if pieces.last.map({ $0.count + entryBytes > Self.pieceBytesMax }) ?? true {
            var piece: [UInt8] = []
            piece.reserveCapacity(max(Self.pieceBytesMax, entryBytes))
            pieces.append(piece)
        }
        let index = pieces.count - 1
        pieces[index].append(littleEndian: UInt64(key.count) << 32 | UInt64(writer.bytes.count - key.count))
        pieces[index] += writer.bytes
        count += 1
        byteCount += entryBytes
        last = max(last, row.last)
    }

    /// Calls the closure with each key in its table form and its row, in order of insertion.
    package func forEach<Failure: Error>(
        _ body: (ArraySlice<UInt8>, ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        for piece in pieces {
            var start = 0
            while start < piece.count {
                let lengths = piece.span.bytes.littleEndian(at: start)
                let key = start + Self.lengthsBytes
                let row = key + Int(lengths >> 32)
                let end = row + Int(lengths & 0xFFFF_FFFF)
                try body(piece[key..<row], piece[row..<end])
                start = end
            }
        }
    }

    public func forEachPlace<Failure: Error>(_ body: (KeyPlace) throws(Failure) -> Void) throws(Failure) {
        try forEach { (key, _) throws(Failure) in
            if let place = RowKey.keyPlace(key.span.bytes) { try body(place) }
        }
    }

    private static let lengthsBytes = 8
}

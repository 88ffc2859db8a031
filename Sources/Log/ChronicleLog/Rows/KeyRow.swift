import ChronicleValues

/// The outcome of a dispatch with an idempotency key, so that a repeated one gets the same answer.
public struct KeyRow: Sendable, Equatable {
    /// The first and the last record of the dispatch; 0 if it logged nothing.
    public var first: UInt64
    public var last: UInt64
    public var ids: [UInt64]
    /// Digest of its decoded actions before `prepare`, to detect another request with the same key; 0 if rebuilt from the
    /// records.
    public var digest: UInt64
    public var epoch: UInt64
    /// When it was accepted, in microseconds since 1970.
    public var time: Int64

    public init(first: UInt64, last: UInt64, ids: [UInt64] = [], digest: UInt64, epoch: UInt64 = 0, time: Int64 = 0) {
        (self.first, self.last, self.ids, self.digest, self.epoch, self.time) = (first, last, ids, digest, epoch, time)
    }
}

extension KeyRow: RowCoding {
    private static let idsMax = 1 << 24

    public init() { self.init(first: 0, last: 0, digest: 0) }

    public mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &first)
        try fields.field(2, &last)
        try fields.runs(3, &ids, max: Self.idsMax)
        try fields.field(4, &digest)
        try fields.field(5, &epoch)
        try fields.field(6, &time)
    }

    package init(_ value: RawSpan, key: RawSpan) throws(ActionLogError) {
        let uid = RowKey.uid(key) ?? 0
        self = try Row.open(value, key: key, as: KeyRow.self, sequence: 0, of: "the row of a key of uid \(uid)")
    }
}

public struct KeyPlace: Sendable {
    public var uid: UInt32
    public var key: String

    public init(uid: UInt32, key: String) {
        self.uid = uid
        self.key = key
    }

    /// The place of a row with a key of the table.
    package init(_ key: RawSpan) throws(ActionLogError) {
        guard let place = RowKey.keyPlace(key) else { throw .damaged(sequence: 0, what: "the key of a row of keys") }
        self = place
    }
}

extension KeyPlace: Equatable {
    /// Compares bytes: in the table, composed and decomposed "é" are two keys.
    public static func == (left: KeyPlace, right: KeyPlace) -> Bool {
        left.uid == right.uid && ExactText(left.key) == ExactText(right.key)
    }
}

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

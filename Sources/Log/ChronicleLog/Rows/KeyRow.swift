public import ChronicleValues

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
        self.first = first
        self.last = last
        self.ids = ids
        self.digest = digest
        self.epoch = epoch
        self.time = time
    }
}

extension KeyRow: CanonicalCodable {
    /// Encodes consecutive ids as runs.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, first)
        writer.field(2, last)
        var start = 0
        while start < ids.count {
            var end = start + 1
            while end < ids.count, ids[end] == ids[end - 1] &+ 1, ids[end] != 0 { end += 1 }
            writer.message(3) { run in
                run.field(1, ids[start])
                run.field(2, UInt64(end - start - 1))
            }
            start = end
        }
        writer.field(4, digest)
        writer.field(5, epoch)
        writer.field(6, time)
    }

    private static let idsMax = 1 << 24

    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init(first: 0, last: 0, digest: 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: first = try cursor.uint(bytes)
            case 2: last = try cursor.uint(bytes)
            case 3:
                var run = try cursor.enter(bytes)
                try appendRun(bytes, &run)
            case 4: digest = try cursor.uint(bytes)
            case 5: epoch = try cursor.uint(bytes)
            case 6: time = try cursor.int(bytes)
            default: throw cursor.unknown()
            }
        }
    }

    private mutating func appendRun(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        var id: UInt64 = 0
        var further: UInt64 = 0
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: id = try cursor.uint(bytes)
            case 2: further = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
        // A valid row never has more, and a damaged one must not exhaust memory.
        guard further < Self.idsMax, ids.count < Self.idsMax - Int(further), id <= UInt64.max - further,
            ids.last.map({ $0 &+ 1 != id || id == 0 }) ?? true
        else {
            throw CanonicalError(.notCanonical, at: cursor.offset)
        }
        ids.append(contentsOf: id...id + further)
    }
}

public struct KeyPlace: Sendable {
    public var uid: UInt32
    public var key: String

    public init(uid: UInt32, key: String) {
        self.uid = uid
        self.key = key
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

public import ActionCoding

/// What a compaction kept of rows whose records went into the archive: so that the loss of one is found, though no record tells of it.
public struct Kept: Sendable, Equatable {
    /// The rows of keys, but for those of dispatches that logged nothing.
    public var keys = RowTally()
    /// The commands that were open.
    public var commands = RowTally()
    /// The last record when they were; those that have ended since have an end behind it.
    public var through: UInt64 = 0

    /// Nothing.
    public init() {}
}

/// How many rows there are, and a digest of them in any order.
public struct RowTally: Sendable, Equatable {
    /// How many.
    public private(set) var count: UInt64 = 0
    /// The sum of what stands for each.
    public private(set) var digest: UInt64 = 0

    /// None.
    public init() {}

    /// Counts the row of a key.
    public mutating func add(_ row: KeyRow, at place: KeyPlace) {
        var key = Array(place.key.utf8)
        key.append(bigEndian: place.uid)
        let bytes = row.canonicalBytes
        add(Checksum.of(bytes.span.bytes, seed: Checksum.of(key.span.bytes)))
    }

    /// Counts an open command.
    public mutating func add(_ id: CommandID) {
        var key: [UInt8] = []
        RowKey.append(id, to: &key)
        add(Checksum.of(key.span.bytes))
    }

    private mutating func add(_ digest: UInt64) {
        count += 1
        self.digest &+= digest
    }
}

extension RowTally: CanonicalCodable {
    /// Fields: 1 count, 2 digest.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, count)
        writer.field(2, digest)
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: count = try cursor.uint(bytes)
            case 2: digest = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}

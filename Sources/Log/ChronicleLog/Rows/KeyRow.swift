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

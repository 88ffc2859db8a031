import Records
import Values

/// Where a shared log ends: the one key that every append compares, and writes.
///
/// No two heads are equal, since each has the id of another batch. So an append that found one is known to follow it, whatever revision the
/// members give it, and also on members that were restored.
struct SharedHead: Equatable {
    /// Names the log, and its epoch.
    var storeID: String
    var epoch: UInt64
    /// How many batches were appended.
    var number: UInt64 = 0
    /// The id of the last; before the first, that of the founding.
    var batch: [UInt8]
    /// The last record, and its checksum.
    var sequence: UInt64
    var checksum: UInt64

    /// That of a log, as far as a copy of it is.
    init(_ head: Head, at place: ReplicaPlace) {
        (storeID, epoch, sequence, checksum) = (head.storeID, head.epoch, head.sequence, head.checksum)
        (number, batch) = (place.number, place.batch)
    }
}

extension SharedHead: CanonicalCodable {
    /// Fields: 1 store id, 2 epoch, 3 number, 4 batch, 5 sequence, 6 checksum.
    func encode(into writer: inout CanonicalWriter) {
        writer.field(1, storeID)
        writer.field(2, epoch)
        writer.field(3, number)
        writer.field(4, batch)
        writer.field(5, sequence)
        writer.field(6, checksum)
    }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        (storeID, epoch, batch, sequence, checksum) = ("", 0, [], 0, 0)
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: storeID = try cursor.text(bytes)
            case 2: epoch = try cursor.uint(bytes)
            case 3: self.number = try cursor.uint(bytes)
            case 4: batch = try cursor.bytes(bytes)
            case 5: sequence = try cursor.uint(bytes)
            case 6: checksum = try cursor.uint(bytes)
            default: throw cursor.unknown()
            }
        }
    }
}

/// What one append brought.
struct SharedBatch {
    /// Tells it from all others.
    var id: [UInt8]
    /// The machine that appended it.
    var node: String
    var flush: SharedFlush

    /// Random, so that no two are equal.
    static func newID() -> [UInt8] {
        var writer = CanonicalWriter()
        writer.field(1, UInt64.random(in: 1...(.max)))
        writer.field(2, UInt64.random(in: 1...(.max)))
        return writer.bytes
    }
}

extension SharedBatch: CanonicalCodable {
    /// Fields: 1 id, 2 node, 3 flush.
    func encode(into writer: inout CanonicalWriter) {
        writer.field(1, id)
        writer.field(2, node)
        writer.message(3, flush)
    }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        var flush: SharedFlush?
        (id, node) = ([], "")
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: id = try cursor.bytes(bytes)
            case 2: node = try cursor.text(bytes)
            case 3: flush = try cursor.singleMessage(bytes)
            default: throw cursor.unknown()
            }
        }
        guard let flush else { throw CanonicalError(.missingField(3), at: cursor.offset) }
        self.flush = flush
    }
}

/// The keys of a shared log.
struct SharedKeys {
    let prefix: String

    init(name: String) { prefix = "/todod/\(name)/" }

    /// Where the log ends.
    var head: [UInt8] { Array("\(prefix)head".utf8) }
    /// Where it ended when it was founded.
    var founding: [UInt8] { Array("\(prefix)founding".utf8) }
    /// Who runs the commands, under a lease.
    var leader: [UInt8] { Array("\(prefix)leader".utf8) }
    /// What the machines say of themselves.
    var nodes: [UInt8] { Array("\(prefix)node/".utf8) }

    /// A batch, by its number.
    func batch(_ number: UInt64) -> [UInt8] {
        let digits = String(number)
        return Array("\(prefix)log/\(String(repeating: "0", count: 20 - digits.utf8.count))\(digits)".utf8)
    }

    func node(_ name: String) -> [UInt8] { nodes + Array(name.utf8) }
}

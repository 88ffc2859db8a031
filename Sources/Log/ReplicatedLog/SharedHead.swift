import ChronicleLog
import ChronicleValues

/// The end of a shared log: the one key that every append compares and writes.
///
/// All heads differ, because each contains the id of another batch. So an append that compares a head successfully follows it,
/// whatever revision the members assign, and also on restored members.
struct SharedHead: Equatable {
    var storeID: String
    var epoch: UInt64
    /// Number of appended batches.
    var number: UInt64 = 0
    /// The id of the last batch; before the first, that of the founding.
    var batch: [UInt8]
    var sequence: UInt64
    var checksum: UInt64
    /// The number of the last batch that redacted records.
    var redaction: UInt64 = 0

    init(_ head: Head, at place: ReplicaPlace) {
        (storeID, epoch, sequence, checksum) = (head.storeID, head.epoch, head.sequence, head.checksum)
        (number, batch, redaction) = (place.number, place.batch, place.redaction)
    }

    /// Whether both heads belong to the same log; founding a log again from a machine's copy starts an epoch.
    func isOfSameLog(as other: SharedHead) -> Bool { storeID == other.storeID && epoch == other.epoch }
}

extension SharedHead: RowCoding {
    init() { (storeID, epoch, batch, sequence, checksum) = ("", 0, [], 0, 0) }

    mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &storeID)
        try fields.field(2, &epoch)
        try fields.field(3, &number)
        try fields.field(4, &batch)
        try fields.field(5, &sequence)
        try fields.field(6, &checksum)
        try fields.field(7, &redaction)
    }
}

struct SharedBatch {
    var id: [UInt8]
    /// The id of the previous batch, or of the founding; a batch that contains only rows can't be identified by a record.
    var previous: [UInt8]
    var node: String
    var flush: ReplicatedBatch
    /// Replacement payloads of redacted records; a batch that has any contains nothing else.
    var payloads: [(sequence: UInt64, payload: [UInt8])] = []

    static func newID() -> [UInt8] {
        var writer = CanonicalWriter()
        writer.field(1, UInt64.random(in: 1...(.max)))
        writer.field(2, UInt64.random(in: 1...(.max)))
        return writer.bytes
    }
}

extension SharedBatch: RowCoding {
    init() { (id, previous, node, flush) = ([], [], "", ReplicatedBatch()) }

    mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &id)
        try fields.field(2, &node)
        try fields.message(3, &flush)
        var redacted = payloads.map { RedactedPayload(sequence: $0.sequence, payload: $0.payload) }
        try fields.list(4, &redacted, max: .max)
        payloads = redacted.map { ($0.sequence, $0.payload) }
        try fields.field(5, &previous)
    }
}

private struct RedactedPayload: RowCoding {
    var sequence: UInt64 = 0
    var payload: [UInt8] = []

    mutating func code<Coder: RowCoder>(_ fields: inout Coder) throws(Coder.Failure) {
        try fields.field(1, &sequence)
        try fields.field(2, &payload)
    }
}

struct SharedKeys {
    let prefix: String

    init(name: String) { prefix = "/todod/\(name)/" }

    var head: [UInt8] { Array("\(prefix)head".utf8) }
    /// The head at the founding.
    var founding: [UInt8] { Array("\(prefix)founding".utf8) }
    /// The machine that runs the commands, under a lease.
    var leader: [UInt8] { Array("\(prefix)leader".utf8) }
    var nodes: [UInt8] { Array("\(prefix)node/".utf8) }

    func batch(_ number: UInt64) -> [UInt8] { Array("\(prefix)log/\(number.digits)".utf8) }

    func node(_ name: String) -> [UInt8] { nodes + Array(name.utf8) }
}

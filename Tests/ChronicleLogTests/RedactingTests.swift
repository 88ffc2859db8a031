import ChronicleValues
import TestSupport
import Testing

@testable import ChronicleLog
@testable import DiskLog

@Suite struct RedactingTests {
    let directory = TemporaryDirectory()

    @Test(arguments: LogMaking.allCases)
    func `a record whose payload was replaced remains valid in the chain`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        try log.append([[0xA1], [0xB1, 0xB2, 0xB3]])
        try log.append([[0xC1]])
        let before = try (0...3).map { try log.checksum(of: UInt64($0)) }
        try log.redact(2, payload: [0xFF])
        #expect(try log.records().map(\.payload) == [[0xA1], [0xFF], [0xC1]])
        #expect(try (0...3).map { try log.checksum(of: UInt64($0)) } == before)
        #expect(try log.sealed(2).isRedacted && !log.sealed(1).isRedacted)
        try log.redact(2, payload: [0x01, 0x02, 0x03, 0x04, 0x05])
        try log.redact(3, payload: [])
        try log.append([[0xD1]])
        #expect(try log.records().map(\.payload) == [[0xA1], [0x01, 0x02, 0x03, 0x04, 0x05], [], [0xD1]])
        #expect(try (0...3).map { try log.checksum(of: UInt64($0)) } == before)
        #expect(throws: ActionLogError.self) { try log.redact(5, payload: []) }
    }

    @Test(arguments: LogMaking.allCases)
    func `several records are redacted all or none, and each redaction is noted`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        try log.append([[0xA1], [0xB1, 0xB2, 0xB3]])
        try log.append([[0xC1]])
        #expect(throws: ActionLogError.self) { try log.redact([(sequence: 1, payload: [0xFF]), (sequence: 4, payload: [])]) }
        #expect(try log.records().map(\.payload) == [[0xA1], [0xB1, 0xB2, 0xB3], [0xC1]])
        try log.redact([(sequence: 1, payload: [0xFF, 0xFF]), (sequence: 3, payload: [])])
        #expect(try log.records().map(\.payload) == [[0xFF, 0xFF], [0xB1, 0xB2, 0xB3], []])
        #expect(log.redactions.sequences == [1, 3])
    }

    @Test func `a redacted record has the bytes of the specified format`() throws {
        let log = InMemoryActionLog(epoch: 1, storeID: "a")
        var flush = Flush(after: log.head)
        flush.stage(RecordHeader(sequence: 1, time: 1), payload: [0x0A, 0x01, 0x61])
        try log.append(flush)
        let first = try log.sealed(1).bytes
        try log.redact(1, payload: [0x0A, 0x00])
        let value = try log.sealed(1).bytes
        let header = first[3..<first.count - 32]
        #expect(value[..<2] == [0x0A, 0x00])
        #expect(value[2..<value.count - 32].elementsEqual(first[3...]))
        #expect(Array(value.suffix(32).prefix(8)) == [2, 0, 0, 0, 2, UInt8(header.count + 32), 0, 0])
        #expect(
            value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == Self.golden,
            "this must be read for ever")
    }

    // A record of sequence 1 and time 1 whose payload 0a0161 was replaced by 0a00.
    static let golden =
        "0a0008010c0203000000010400000000000000000000cb45a3c710a0163762d2b6297e864f48"
        + "0200000002240000000000000000000015af3d526a1ae0bba14fdde5f67fc7f8"

    @Test func `every flipped bit of a redacted record is detected`() throws {
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        try log.append([[0xA1, 0xA2], [0xB1, 0xB2], [0xC1]])
        try log.redact(2, payload: [0xFF, 0xFE])
        let value = try log.recordValue(2)
        for index in value.indices {
            for bit in 0..<8 as Range<UInt8> {
                var flipped = value
                flipped[index] ^= 1 << bit
                try log.setRecordValue(flipped, of: 2)
                let (records, error) = log.recordsAndError()
                #expect(records.count == 1 && error != nil, "byte \(index), bit \(bit)")
            }
        }
        try log.setRecordValue(value, of: 2)
        #expect(log.recordsAndError().1 == nil)
    }

    @Test func `a log remembers its redactions and knows which states were folded before them`() throws {
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        try log.append([[0xA1], [0xB1], [0xC1]])
        #expect(log.redactions == Redactions())
        try log.redact(3, payload: [0xFF])
        try log.redact(2, payload: [0xFE])
        #expect(log.redactions.sequences == [3, 2])
        try log.anchor()
        let read = try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small)
        #expect(read.redactions == log.redactions)
        #expect(log.redactions.leave(1, foldedAfter: 0) && !log.redactions.leave(2, foldedAfter: 0))
        #expect(log.redactions.leave(2, foldedAfter: 2) && !log.redactions.leave(2, foldedAfter: 1))
        #expect(!log.redactions.leave(3, foldedAfter: 0) && !log.redactions.leave(1, foldedAfter: 3))
        #expect(try Redactions(canonical: log.redactions.canonicalBytes) == log.redactions)
    }

    @Test func `a redaction removes the snapshots from its sequence on and keeps the earlier ones`() throws {
        let files = SnapshotStore(directory: directory.path)
        for sequence in [4, 9] as [UInt64] {
            let snapshot = Snapshot(sequence: sequence, checksum: 1, epoch: 1, time: 1, fingerprint: "one", state: [1])
            try files.write(snapshot)
            try files.history.write(snapshot, budgetBytes: .max)
        }
        files.removeAll(from: 5)
        #expect(files.sequences() == [4] && files.history.sequences() == [4])
    }
}

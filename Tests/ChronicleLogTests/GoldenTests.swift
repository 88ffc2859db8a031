import ChronicleValues
import Glibc
import TestSupport
import Testing

@testable import ChronicleLog
@testable import DiskLog

/// The log of the first release, byte for byte.
///
/// It must always be read and written in this form.
@Suite struct GoldenTests {
    static let directory = String(#filePath.dropLast("GoldenTests.swift".count)) + "Golden"

    /// Every kind of record and every field.
    static let records: [ReadRecord] = [
        ReadRecord(header: RecordHeader(sequence: 1, time: 1_767_225_600_000_000, origin: 1_000, step: 1), payload: [1, 2, 3]),
        ReadRecord(
            header: RecordHeader(
                sequence: 2, time: 1_767_225_600_000_001, rawTime: 1_767_225_599_000_000, origin: .max, step: 1,
                key: "00064755c1a1b000a1b2c3d4e5f60718", build: 12,
                commands: [
                    CommandCall(name: "posts.load", version: 1, arguments: [0xFF, 0x00]),
                    CommandCall(name: "open", version: 2, presentational: true),
                ]), payload: []),
        ReadRecord(
            header: RecordHeader(
                kind: .end, sequence: 3, time: 1_767_225_600_500_000, step: 1, cause: CommandID(sequence: 2, index: 0), build: 12,
                outcome: .failed, reason: "no answer", due: 1_767_225_600_200_000),
            payload: Array("Grüße".utf8)),
        ReadRecord(header: RecordHeader(kind: .bookmark, sequence: 4, time: 1_767_225_600_500_001, key: "ключ"), payload: [7]),
        ReadRecord(
            header: RecordHeader(kind: .epoch, sequence: 5, time: 1_767_225_600_500_002, step: 5),
            payload: EpochChange(epoch: 9, previous: 8, heldThrough: 4).canonicalBytes),
        ReadRecord(header: RecordHeader(kind: .hold, sequence: 6, time: 1_767_225_600_500_003), payload: []),
        ReadRecord(header: RecordHeader(kind: .release, sequence: 7, time: 1_767_225_600_500_004), payload: []),
        ReadRecord(
            header: RecordHeader(sequence: 8, time: 1_767_225_600_500_005, step: 8, undoes: 1),
            payload: [UInt8](repeating: 0xAB, count: 300)),
    ]

    static let key = KeyRow(
        first: 2, last: 2, ids: [4, 5, 6, 1], digest: 0x0123_4567_89AB_CDEF, epoch: 8, time: 1_767_225_600_000_001)
    static let command = OutboxRow(
        id: CommandID(sequence: 2, index: 0), call: CommandCall(name: "posts.load", arguments: [0xFF, 0x00]), stage: .parked,
        attempts: 3, due: 1_767_225_700_000_000, reason: "no answer", step: 1, origin: .max, depth: 2, cancelID: "posts.load",
        group: "posts")
    static let head = Head(
        sequence: 8, checksum: 0xFEDC_BA98_7654_3210, time: 1_767_225_600_500_005, epoch: 9,
        storeID: "000102030405060708090a0b0c0d0e0f", heldThrough: 4)
    static let identity = LogIdentity(
        format: 1, storeID: "000102030405060708090a0b0c0d0e0f", machineID: "machine", inode: 5, created: 1_767_225_600_000_000)

    static func flush() throws -> Flush {
        var flush = Flush(after: Head(epoch: 8, storeID: ""))
        for record in records { flush.stage(record.header, payload: record.payload) }
        try flush.stage(key, key: "00064755c1a1b000a1b2c3d4e5f60718", of: 1_000)
        flush.add(command)
        return flush
    }

    /// Every value of a log with these records and rows, one per line: table, key, value.
    static func lines() throws -> [String] {
        let flush = try flush()
        var lines = (0..<flush.recordCount).map { index in
            "records \(index + 1) \(hex(flush.records.bytes[flush.recordRange(index)]))"
        }
        for change in flush.rowChanges {
            let table = change.kind == .addKey ? "keys" : "outbox"
            lines.append("\(table) \(hex(flush.rows.bytes[change.key])) \(hex(flush.rows.bytes[change.value]))")
        }
        lines.append("meta \(hex(RowKey.identity[...])) \(hex(Row.sealed(identity, key: RowKey.identity)[...]))")
        lines.append("meta \(hex(RowKey.head[...])) \(hex(Row.sealed(head, key: RowKey.head)[...]))")
        return lines
    }

    static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    static func bytes(_ hex: Substring) -> [UInt8] {
        let digits = hex.utf8.map { UInt8($0 > 0x39 ? $0 - 0x57 : $0 - 0x30) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    static func golden(_ name: String) -> [String] {
        let bytes = SmallFile.bytes("\(directory)/\(name)") ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `the format of the log has not changed since the first release`() throws {
        // The head of the first release also held a value of the boot clock.
        let golden = Self.golden("format-1.txt").dropLast() + Self.golden("head.txt")
        let lines = try Self.lines()
        #expect(golden.count == 12)
        for (index, line) in lines.enumerated() {
            #expect(golden.indices.contains(index) && golden[index] == line, "line \(index + 1) would be: \(line)")
        }
    }

    @Test func `the format of a removed bookmark has not changed`() throws {
        var flush = Flush(after: Head(epoch: 8, storeID: ""))
        let header = RecordHeader(kind: .bookmark, sequence: 1, time: 1_767_225_600_000_000, origin: 1_000, step: 1)
        flush.stage(header, payload: Bookmark(withdrawing: "ключ").canonicalBytes)
        let line = "records 1 \(Self.hex(flush.records.bytes[flush.recordRange(0)]))"
        #expect(Self.golden("bookmark-withdrawn.txt") == [line])
    }

    @Test func `the format of a lock has not changed`() throws {
        var flush = Flush(after: Head(epoch: 8, storeID: ""))
        let header = RecordHeader(kind: .lock, sequence: 1, time: 1_767_225_600_000_000, origin: 1_000, step: 1)
        flush.stage(header, payload: Lock(reason: "Grüße").canonicalBytes)
        flush.stage(RecordHeader(kind: .unlock, sequence: 2, time: 1_767_225_600_000_001), payload: [])
        flush.headChange.lock = .lock(Lock(reason: "Grüße", origin: 1_000, record: 1))
        let head = flush.head(after: Head(epoch: 8, storeID: ""))
        let lines =
            (0..<2).map { "records \($0 + 1) \(Self.hex(flush.records.bytes[flush.recordRange($0)]))" }
            + ["head \(Self.hex(head.canonicalBytes[...]))"]
        for (index, line) in lines.enumerated() {
            let golden = Self.golden("lock.txt")
            #expect(golden.indices.contains(index) && golden[index] == line, "line \(index + 1) would be: \(line)")
        }
    }

    @Test func `the format of an edited command has not changed`() throws {
        var flush = Flush(after: Head(epoch: 8, storeID: ""))
        let id = CommandID(sequence: 1, index: 2)
        let before = CommandCall(name: "stars.star", arguments: [1, 2])
        let after = CommandCall(name: "stars.star", arguments: [3])
        flush.stage(
            RecordHeader(kind: .edit, sequence: 1, time: 1_767_225_600_000_000, origin: 1_000, step: 1, cause: id),
            payload: CommandEdit(before: before, after: after).canonicalBytes)
        let row = OutboxRow(id: id, call: after, stage: .parked, reason: "uncertain", step: 1, edited: 1)
        let lines = [
            "records 1 \(Self.hex(flush.records.bytes[flush.recordRange(0)]))", "outbox \(Self.hex(row.canonicalBytes[...]))",
        ]
        for (index, line) in lines.enumerated() {
            let golden = Self.golden("edit.txt")
            #expect(golden.indices.contains(index) && golden[index] == line, "line \(index + 1) would be: \(line)")
        }
        let became = CommandEdit(before: before, after: CommandCall(name: "stars.unstar", arguments: [3])).canonicalBytes
        #expect(throws: CanonicalError.self) { try CommandEdit(canonical: became) }
    }

    @Test func `the format of a head with a throttle has not changed`() throws {
        let head = Head(
            sequence: 3, epoch: 8, storeID: "", throttles: [Throttle(name: "feature.name", until: 1_767_225_600_000_000)])
        #expect("head \(Self.hex(head.canonicalBytes[...]))" == Self.golden("throttle.txt").first)
        #expect(try Head(canonical: head.canonicalBytes) == head)
    }

    @Test func `the format of the last imported record has not changed`() throws {
        var flush = Flush(after: Head(epoch: 8, storeID: ""))
        flush.headChange.importedThrough = 300
        let head = flush.head(after: Head(epoch: 8, storeID: ""))
        #expect(Self.hex(head.canonicalBytes[...]) == "100834ac02")
        #expect(try Head(canonical: head.canonicalBytes).importedThrough == 300)
    }

    @Test func `the format of a merge has not changed`() throws {
        let mark = ForkMark(epoch: 300, from: 4, through: 9, chain: 700, firstChain: 5)
        let header = RecordHeader(sequence: 1, time: 1, merges: mark)
        #expect(Self.hex(header.canonicalBytes[...]) == "08010c02450c04ac0208040c0910bc051405")
        #expect(try RecordHeader(canonical: header.canonicalBytes) == header)
        var holding = mark
        holding.held = [HeldFork(firstChain: 6, through: 300, chain: 1), HeldFork(firstChain: 7, through: 8, chain: 9)]
        let bytes = holding.canonicalBytes
        #expect(Self.hex(bytes[...]) == "04ac0208040c0910bc0514051907040608ac020c011906040708080c09")
        #expect(try ForkMark(canonical: bytes) == holding)
    }

    @Test func `the format of a part of a result has not changed`() throws {
        let id = CommandID(sequence: 1, index: 2)
        var flush = Flush(after: Head(epoch: 8, storeID: ""))
        flush.stage(
            RecordHeader(kind: .piece, sequence: 1, time: 1_767_225_600_000_000, origin: 1_000, step: 1, cause: id),
            payload: ResultPiece(index: 2, done: 3, total: 10).canonicalBytes)
        let row = OutboxRow(
            id: id, call: CommandCall(name: "x"), waits: 4, pieces: 3, pieceBytes: 700, done: 3, total: 10)
        let lines = [
            "records 1 \(Self.hex(flush.records.bytes[flush.recordRange(0)]))", "outbox \(Self.hex(row.canonicalBytes[...]))",
        ]
        for (index, line) in lines.enumerated() {
            let golden = Self.golden("piece.txt")
            #expect(golden.indices.contains(index) && golden[index] == line, "line \(index + 1) would be: \(line)")
        }
        #expect(try OutboxRow(canonical: row.canonicalBytes) == row)
    }

    @Test func `the log of the first release is decoded correctly`() throws {
        let lines = Self.golden("format-1.txt").map { $0.split(separator: " ") }
        let directory = TemporaryDirectory()
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        var flush = Flush(after: log.head)
        for record in Self.records { flush.stage(record.header, payload: record.payload) }
        try log.append(flush)
        for line in lines where line[0] == "records" {
            try log.setRecordValue(Self.bytes(line[2]), of: try #require(UInt64(line[1])))
        }
        for line in lines where line[0] == "keys" {
            try log.setRowValue(Self.bytes(line[2]), of: Self.bytes(line[1]), in: .keys)
        }
        for line in lines where line[0] == "outbox" {
            try log.setRowValue(Self.bytes(line[2]), of: Self.bytes(line[1]), in: .outbox)
        }
        // A row ends with its checksum.
        #expect(try Head(canonical: Self.bytes(try #require(lines.last)[2]).dropLast(8)) == Self.head)
        #expect(try log.records() == Self.records)
        #expect(try log.key("00064755c1a1b000a1b2c3d4e5f60718", of: 1_000) == Self.key)
        #expect(try log.outbox() == [Self.command])
    }
}

import ActionCoding
import TestSupport
import Testing

@testable import ActionLogs

@Suite struct CompactingTests {
    let directory = TemporaryDirectory()

    func made() throws -> LMDBActionLog {
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        for sequence in 1...9 as ClosedRange<UInt64> {
            var flush = Flush(after: log.head)
            flush.stage(.action(after: flush, key: "key \(sequence)"), payload: [UInt8(sequence)])
            try flush.stage(
                KeyRow(first: sequence, last: sequence, digest: 7, time: Int64(sequence)), key: "key \(sequence)", of: 1)
            if sequence == 2 { flush.add(OutboxRow(id: CommandID(sequence: 2, index: 0), call: CommandCall(name: "command"))) }
            if sequence == 3 { flush.set(BookmarkRow(name: "here", sequence: 2, record: 3)) }
            try log.append(flush)
        }
        return log
    }

    func base(_ sequence: UInt64, of log: LMDBActionLog) throws -> Base {
        Base(sequence: sequence, checksum: try log.checksum(of: sequence) ?? 0, time: 1, archive: "archive-1-\(sequence).jsonl")
    }

    @Test func `a compacted log goes on where it was, and begins with its base`() throws {
        let log = try made()
        let (head, checksum) = (log.head, try log.checksum(of: 7))
        let time = try log.sealed(5).header.time
        var base = try base(5, of: log)
        base.time = time
        try log.compact(to: base, state: [1, 2, 3]) { $0.time >= 4 }
        #expect(log.base == base && log.first == 6)
        #expect(try log.baseState() == [1, 2, 3])
        #expect(try log.head == head && log.checksum(of: 7) == checksum)
        #expect(try log.checksum(of: 5) == base.checksum && log.checksum(of: 4) == nil)
        #expect(try log.records(from: 6).map(\.payload) == [[6], [7], [8], [9]])
        #expect(throws: ActionLogError.pruned(through: 5, archive: base.archive)) { _ = try log.records() }
        #expect(try log.outbox().map(\.id.sequence) == [2])
        #expect(try log.bookmarks().map(\.name) == ["here"])
        #expect(
            try (1...9).map { try log.key("key \($0)", of: 1) != nil } == [false, false, false] + Array(repeating: true, count: 6)
        )
        try log.append([[10]])
        #expect(try log.records(from: 9).map(\.payload) == [[9], [10]])
        #expect(try log.sequence(atOrAfter: 0) == 6)
        try log.checkEnds()
    }

    @Test func `it is the same log after a restart, in the same epoch, and can be compacted again`() throws {
        var epoch: UInt64 = 0
        do {
            let log = try made()
            epoch = log.head.epoch
            try log.compact(to: try base(4, of: log), state: [9]) { _ in true }
        }
        do {
            let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
            #expect(log.head.epoch == epoch && log.head.sequence == 9 && log.base?.sequence == 4)
            let before = try base(4, of: log)
            #expect(throws: ActionLogError.self) { try log.compact(to: before, state: []) { _ in true } }
            var last = try base(9, of: log)
            last.time = log.head.time
            try log.compact(to: last, state: [10]) { _ in false }
            try log.append([[10]])
        }
        do {
            let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
            #expect(try log.records(from: 10).map(\.payload) == [[10]])
            #expect(try log.baseState() == [10])
        }
        let looked = try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small)
        #expect(looked.damage == nil && looked.head.sequence == 10)
    }

    @Test func `a damaged base is found at the start, and every flipped bit of it`() throws {
        let log = try made()
        try log.compact(to: try base(4, of: log), state: [9, 8, 7]) { _ in true }
        let value = try log.rowValue(RowKey.base, in: .meta)
        for index in value.indices {
            for bit in 0..<8 as Range<UInt8> {
                var flipped = value
                flipped[index] ^= 1 << bit
                try log.setRowValue(flipped, of: RowKey.base, in: .meta)
                #expect(throws: ActionLogError.self) { try log.checkEnds() }
                #expect(throws: ActionLogError.self) { _ = try log.baseState() }
            }
        }
    }

    @Test func `a base has the bytes that it has for ever`() throws {
        let row = BaseRow(base: Base(sequence: 300, checksum: 1, time: -1, archive: "a"), state: [7, 8])
        #expect(row.canonicalBytes == [0x04, 0xAC, 0x02, 0x08, 0x01, 0x0C, 0x01, 0x11, 0x01, 0x61, 0x15, 0x02, 7, 8])
        #expect(try BaseRow(canonical: row.canonicalBytes) == row)
    }
}

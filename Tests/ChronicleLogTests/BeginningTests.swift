import Foundation
import TestSupport
import Testing

@testable import ChronicleLog
@testable import DiskLog

/// Tests of a log that begins with the base of another log.
@Suite(.serialized) struct BeginningTests {
    let directory = TemporaryDirectory()

    private var row: BaseRow {
        BaseRow(base: Base(sequence: 7, checksum: 99, time: 1_000, archive: "archive-1-7.jsonl.zst"), state: [1, 2, 3])
    }

    @Test(arguments: LogMaking.ofOneMachine)
    func `a log that begins with a base continues from there and has no earlier records`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        var flush = Flush(after: log.head)
        try flush.begin(with: row)
        #expect(!flush.isEmpty)
        try log.append(flush)
        #expect(log.base == row.base && log.head.sequence == 7 && log.head.checksum == 99 && log.head.time == 1_000)
        #expect(try log.baseRow() == row && log.checksum(of: 7) == 99 && log.checksum(of: 3) == nil)
        #expect(try log.records(from: 8).isEmpty)
        try log.append([[8], [9]])
        #expect(try log.records(from: 8).map(\.header.sequence) == [8, 9])
        #expect(try log.sealed(8).previous == 99)
        #expect(throws: ActionLogError.pruned(through: 7, archive: "archive-1-7.jsonl.zst")) { try log.records(from: 7) }
        #expect(try log.sequence(atOrAfter: 0) == 8 && log.sequence(atOrBefore: 999) == 7)
    }

    @Test(arguments: LogMaking.ofOneMachine)
    func `the keys of the records before a base are imported with it, all or none`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        // More keys than fit into one page.
        let rows = (0..<20_000).map { KeyRow(first: 1, last: 1 + UInt64($0 % 7), ids: [UInt64($0)], digest: 1, time: 5) }
        var keys = PackedKeys()
        for (index, row) in rows.enumerated() { try keys.append(row, at: KeyPlace(uid: 5, key: "key \(index)")) }
        #expect(throws: ActionLogError.keyLength(bytes: 0)) { try keys.append(rows[0], at: KeyPlace(uid: 5, key: "")) }
        #expect(keys.count == rows.count && keys.last == 7)
        var twice = keys
        try twice.append(rows[3], at: KeyPlace(uid: 5, key: "key 3"))
        var flush = Flush(after: log.head)
        try flush.begin(with: row, keys: twice)
        #expect(throws: ActionLogError.self) { try log.append(flush) }
        #expect(log.head.sequence == 0)
        #expect(try log.key("key 0", of: 5) == nil)
        flush.restart(after: log.head)
        let empty = flush.mark
        try flush.begin(with: row, keys: twice)
        #expect(flush.byteCount == twice.byteCount)
        flush.truncate(to: empty)
        #expect(flush.byteCount == 0)
        try flush.begin(with: row, keys: keys)
        try log.append(flush)
        for (index, row) in rows.enumerated() { #expect(try log.key("key \(index)", of: 5) == row) }
        #expect(try log.storage().keys == rows.count)
    }

    @Test(arguments: LogMaking.ofOneMachine)
    func `only an empty log accepts a base, and a dropped base leaves the flush empty`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        var flush = Flush(after: log.head)
        let empty = flush.mark
        try flush.begin(with: row)
        #expect(throws: ActionLogError.self) { try flush.begin(with: row) }
        flush.truncate(to: empty)
        #expect(flush.isEmpty && flush.mark == empty && flush.sequence == 0)
        try log.append([[1]])
        var late = Flush(after: log.head)
        #expect(throws: ActionLogError.self) { try late.begin(with: row) }
        // A flush that was staged while the log was empty.
        try flush.begin(with: row)
        #expect(throws: ActionLogError.self) { try log.append(flush) }
        #expect(log.base == nil && log.head.sequence == 1)
    }

    @Test func `the log is the same after it was reopened`() throws {
        do {
            let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
            var flush = Flush(after: log.head)
            try flush.begin(with: row)
            flush.stage(.action(after: flush), payload: [8])
            try log.append(flush)
        }
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        #expect(try log.baseRow() == row && log.records(from: 8).map(\.payload) == [[8]])
    }
}

import Glibc
import LMDB
import Synchronization
import TestSupport
import Testing

@testable import ChronicleLog
@testable import DiskLog

@Suite struct DamageTests {
    let directory = TemporaryDirectory()

    var dataFile: String { "\(directory.path)/data.mdb" }

    /// A log of five records, two keys and one open command.
    func made() throws -> LMDBActionLog {
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        try log.append([[0xA1, 0xA2, 0xA3], [0xB1, 0xB2, 0xB3]])
        var flush = Flush(after: log.head)
        flush.stage(.action(after: flush, key: "a key"), payload: [0xC1, 0xC2, 0xC3, 0xC4])
        try flush.stage(KeyRow(first: 3, last: 3, ids: [1], digest: 77), key: "a key", of: 1)
        flush.add(OutboxRow(id: CommandID(sequence: 3, index: 0), call: CommandCall(name: "command")))
        try log.append(flush)
        try log.append([[0xD1], []])
        return log
    }

    /// The offsets of a record's value in the data file, also on old pages, because only LMDB knows which page is current.
    func places(of value: [UInt8]) throws -> [Int] {
        let file = try bytes(dataFile)
        return (0...file.count - value.count).filter {
            file[$0] == value[0] && file[$0 + value.count - 1] == value[value.count - 1]
                && file[$0..<$0 + value.count].elementsEqual(value)
        }
    }

    func bytes(_ path: String) throws -> [UInt8] {
        guard let file = InputFile(path) else { throw ActionLogError.io(what: path, errno: errno) }
        return file.next(file.byteCount)
    }

    @Test func `every flipped bit of every record is detected, and the record is not returned`() throws {
        let log = try made()
        let (whole, error) = log.recordsAndError()
        #expect(error == nil)
        #expect(whole.count == 5)
        let file = open(dataFile, O_RDWR)
        defer { close(file) }
        var flips = 0
        for sequence in 1...5 as ClosedRange<UInt64> {
            let value = try log.recordValue(sequence)
            let places = try places(of: value)
            for index in value.indices {
                for bit in 0..<8 as Range<UInt8> {
                    for place in places { _ = pwrite(file, [value[index] ^ 1 << bit], 1, off_t(place + index)) }
                    let (served, error) = log.recordsAndError()
                    #expect(served == Array(whole.prefix(Int(sequence) - 1)), "record \(sequence), byte \(index), bit \(bit)")
                    guard error?.damagedSequence == sequence else {
                        Issue.record("record \(sequence), byte \(index), bit \(bit): \(String(describing: error))")
                        return
                    }
                    flips += 1
                }
                for place in places { _ = pwrite(file, [value[index]], 1, off_t(place + index)) }
            }
        }
        #expect(flips > 1_900)
        #expect(log.recordsAndError().0 == whole)
    }

    @Test func `a flipped bit also stops a fold, a search by time, and a start`() throws {
        let log = try made()
        var third = try log.recordValue(3)
        third[0] ^= 1
        try log.setRecordValue(third, of: 3)
        let damage = ActionLogError.damaged(sequence: 3, what: "the payload's checksum")
        #expect(throws: damage) { try log.fold(from: 1, through: 5) { _, _ in true } }
        #expect(throws: damage) { try log.records(from: 4) }
        #expect(throws: damage) { try log.sequence(atOrAfter: 3_000_000) }
        #expect(throws: damage) { try log.checksum(of: 3) }
        #expect(try log.records(from: 5).count == 1)
    }

    @Test func `a missing record is reported by its sequence number`() throws {
        let log = try made()
        try log.deleteRecord(3)
        let (served, error) = log.recordsAndError()
        #expect(served.count == 2)
        #expect(error == .damaged(sequence: 3, what: "the record is missing"))
    }

    @Test func `two swapped records are detected`() throws {
        let log = try made()
        let (second, third) = (try log.recordValue(2), try log.recordValue(3))
        try log.setRecordValue(third, of: 2)
        try log.setRecordValue(second, of: 3)
        let (served, error) = log.recordsAndError()
        #expect(served.count == 1)
        #expect(error == .damaged(sequence: 2, what: "the link to the previous record"))
    }

    @Test func `a replaced record of another log is detected by the link of the next record`() throws {
        let log = try made()
        let other = InMemoryActionLog()
        try other.append([[0xA1, 0xA2, 0xA3], [9, 9, 9]])
        let forged = try other.sealed(2).bytes
        try log.setRecordValue(forged, of: 2)
        #expect(log.recordsAndError().1 == .damaged(sequence: 3, what: "the link to the previous record"))
    }

    @Test func `a truncated log is refused at the next start`() throws {
        do {
            let log = try made()
            try log.deleteRecord(5)
            #expect(log.recordsAndError().1 == .damaged(sequence: 5, what: "the record is missing"))
        }
        #expect(throws: ActionLogError.damaged(sequence: 5, what: "the log ends at 4, but its head says 5")) {
            _ = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        }
    }

    @Test func `an older version of the log is refused because the head file knows its last sequence`() throws {
        let copy = TemporaryDirectory()
        do {
            let log = try made()
            let image = try bytes(dataFile)
            try log.append([[1]])
            try log.anchor()
            try OutputFile.write(image.span.bytes, name: "data.mdb", directory: copy.path)
        }
        let older = try bytes("\(copy.path)/data.mdb")
        try OutputFile.write(older.span.bytes, name: "data.mdb", directory: directory.path)
        #expect(throws: ActionLogError.damaged(sequence: 6, what: "the log ends at 5, but it had reached 6")) {
            _ = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        }
    }

    @Test func `a damaged head file is refused with the advice to remove it`() throws {
        do { try made().anchor() }
        let path = "\(directory.path)/head"
        var head = try bytes(path)
        for index in head.indices {
            head[index] ^= 4
            try OutputFile.write(head.span.bytes, name: "head", directory: directory.path)
            let error = #expect(throws: ActionLogError.self) {
                _ = try LMDBActionLog.open(directory: directory.path, configuration: .small)
            }
            guard error?.damagedSequence != nil else {
                Issue.record("byte \(index): \(String(describing: error))")
                return
            }
            head[index] ^= 4
        }
        unlink(path)
        _ = try LMDBActionLog.open(directory: directory.path, configuration: .small)
    }

    @Test func `the row of a key is rejected if a bit of it changed or if it belongs to another key`() throws {
        let log = try made()
        var key: [UInt8] = []
        try RowKey.append("a key", of: 1, to: &key)
        let name = key
        let row = try log.rowValue(name, in: .keys)
        let damage = ActionLogError.damaged(sequence: 0, what: "the row of a key of uid 1")
        for index in row.indices {
            var changed = row
            changed[index] ^= 16
            try log.setRowValue(changed, of: name, in: .keys)
            #expect(throws: damage) { try log.key("a key", of: 1) }
        }
        var other: [UInt8] = []
        try RowKey.append("Another", of: 1, to: &other)
        let otherName = other
        try log.setRowValue(row, of: otherName, in: .keys)
        #expect(throws: damage) { try log.key("Another", of: 1) }
    }

    @Test func `a changed row of an open command is reported with the sequence of its record`() throws {
        let log = try made()
        var key: [UInt8] = []
        RowKey.append(CommandID(sequence: 3, index: 0), to: &key)
        let name = key
        var row = try log.rowValue(name, in: .outbox)
        row[2] ^= 1
        let changed = row
        try log.setRowValue(changed, of: name, in: .outbox)
        #expect(throws: ActionLogError.damaged(sequence: 3, what: "the row of the open command 0")) { try log.outbox() }
    }

    @Test func `a changed header or head row stops the start`() throws {
        for key in [RowKey.head, RowKey.identity] {
            let directory = TemporaryDirectory()
            do {
                let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
                var row = try log.rowValue(key, in: .meta)
                row[1] ^= 1
                let changed = row
                try log.setRowValue(changed, of: key, in: .meta)
            }
            let error = #expect(throws: ActionLogError.self) {
                _ = try LMDBActionLog.open(directory: directory.path, configuration: .small)
            }
            guard error?.damagedSequence == 0 else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `a damaged log that is opened for reading ends before the damage`() throws {
        do {
            let log = try made()
            var third = try log.recordValue(3)
            third[1] ^= 1
            let changed = third
            try log.setRecordValue(changed, of: 3)
        }
        let log = try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small)
        #expect(log.damage == .damaged(sequence: 3, what: "the payload's checksum"))
        #expect(log.head.sequence == 2)
        #expect(log.head.time == 2_000_000)
        #expect(try log.records().map(\.payload) == [[0xA1, 0xA2, 0xA3], [0xB1, 0xB2, 0xB3]])
        #expect(try log.key("a key", of: 1) == nil)
        #expect(try log.outbox().isEmpty)
        #expect(throws: ActionLogError.notPermitted(what: "the log is open read-only")) { try log.append([[1]]) }
    }

    @Test func `a log with a damaged head can still be read`() throws {
        do {
            let log = try made()
            try log.setRowValue([1, 2, 3], of: RowKey.head, in: .meta)
        }
        let log = try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small)
        #expect(log.damage == .damaged(sequence: 0, what: "the head row"))
        #expect(log.head.sequence == 5)
        #expect(try log.records().count == 5)
    }

    @Test func `an undamaged log opened for reading reports no damage`() throws {
        do { _ = try made() }
        let log = try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small)
        #expect(log.damage == nil)
        #expect(log.head.sequence == 5)
        #expect(try log.key("a key", of: 1)?.digest == 77)
        #expect(try log.outbox().count == 1)
    }
}

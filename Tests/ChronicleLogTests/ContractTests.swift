import ChronicleLog
import TestSupport
import Testing

/// The contract of every log.
@Suite(.serialized) struct ContractTests {
    let directory = TemporaryDirectory()

    @Test(arguments: LogMaking.allCases) func `a new log is empty and has an id`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        #expect(log.head.sequence == 0)
        #expect(log.head.checksum == 0)
        #expect(log.head.epoch > 0)
        #expect(log.head.storeID.utf8.count == 32)
        #expect(try log.records().isEmpty)
        #expect(try log.outbox().isEmpty)
        #expect(try log.checksum(of: 0) == 0)
    }

    @Test(arguments: LogMaking.allCases) func `records are read back with all their fields`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        let headers = [
            RecordHeader(sequence: 1, time: 5),
            RecordHeader(
                kind: .end, sequence: 2, time: 1_700_000_000_000_000, rawTime: -3, origin: .max, step: 1,
                cause: CommandID(sequence: 1, index: 3), undoes: 1, key: "ключ", build: 9,
                commands: [
                    CommandCall(name: "load", version: 2, arguments: [1, 2, 3]),
                    CommandCall(name: "open", presentational: true),
                ], node: "haus"),
            RecordHeader(kind: .bookmark, sequence: 3, time: 1_700_000_000_000_001, rawTime: 0),
        ]
        var flush = Flush(after: log.head)
        for header in headers { flush.stage(header, payload: [UInt8](repeating: 3, count: Int(header.sequence) - 1)) }
        try log.append(flush)
        let records = try log.records()
        #expect(records.map(\.header) == headers)
        #expect(records.map(\.payload) == [[], [3], [3, 3]])
        #expect(log.head.sequence == 3)
        #expect(log.head.time == 1_700_000_000_000_001)
    }

    @Test(arguments: LogMaking.allCases) func `a fold reads the same records with needed fields`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        var flush = Flush(after: log.head)
        flush.stage(.action(after: flush, key: "a key"), payload: [1])
        var header = RecordHeader.action(after: flush)
        header.kind = .end
        header.cause = CommandID(sequence: 1, index: 0)
        header.undoes = 1
        header.commands = [CommandCall(name: "a"), CommandCall(name: "b")]
        flush.stage(header, payload: [2, 2])
        try log.append(flush)
        var headers: [HeaderFields] = []
        var payloads: [[UInt8]] = []
        let next = try log.fold(from: 1, through: .max) { header, payload in
            headers.append(header)
            payloads.append(payload.array)
            return true
        }
        #expect(next == 3)
        #expect(payloads == [[1], [2, 2]])
        #expect(headers.map(\.hasKey) == [true, false])
        #expect(headers.map(\.commandCount) == [0, 2])
        #expect(headers[1].kind == .end)
        #expect(headers[1].cause == CommandID(sequence: 1, index: 0))
        #expect(headers[1].undoes == 1)
        #expect(headers[1].time == 2_000_000)
        #expect(headers[1].origin == 1_000)
        #expect(headers[1].build == 7)
    }

    @Test(arguments: LogMaking.allCases) func `a read stops at its limits and returns where to continue`(making: LogMaking) throws
    {
        let log = try making.make(in: directory)
        for _ in 0..<3 { try log.append([[UInt8]](repeating: [1, 2, 3], count: 300)) }
        var seen: [UInt64] = []
        let some = try log.read(from: 10, through: 880, recordsMax: 600, bytesMax: .max) { header, _ in
            seen.append(header.sequence)
            return true
        }
        #expect(some == 610)
        #expect(seen == Array(10..<610))
        #expect(try log.read(from: 1, through: 900, recordsMax: .max, bytesMax: 1) { _, _ in true } == 2)
        #expect(try log.read(from: 1, through: 900, recordsMax: .max, bytesMax: .max) { header, _ in header.sequence < 5 } == 6)
        #expect(try log.read(from: 1, through: 0) { _, _ in true } == 1)
        #expect(try log.read(from: 0, through: 2) { _, _ in true } == 3)
        #expect(try log.read(from: 901, through: .max) { _, _ in true } == 901)
        #expect(try log.records(from: 899).map(\.header.sequence) == [899, 900])
    }

    @Test(arguments: LogMaking.allCases) func `a reader may query and append while it reads`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        try log.append([[1], [2]])
        var inner = 0
        _ = try log.read(from: 1, through: .max) { _, _ in
            inner += (try? log.records().count) ?? 0
            return true
        }
        #expect(inner == 4)
        _ = try log.read(from: 1, through: 1) { _, _ in (try? log.append([[3]])) != nil }
        #expect(log.head.sequence == 3)
    }

    @Test(arguments: LogMaking.allCases) func `a time is resolved to the records before and after it`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        #expect(try log.sequence(atOrAfter: 0) == 1)
        #expect(try log.sequence(atOrBefore: 0) == 0)
        try log.append([[1], [2], [3]])
        let cases: [(time: Int64, after: UInt64, before: UInt64)] = [
            (.min, 1, 0), (999_999, 1, 0), (1_000_000, 1, 1), (1_000_001, 2, 1), (3_000_000, 3, 3), (3_000_001, 4, 3),
            (.max, 4, 3),
        ]
        for (time, after, before) in cases {
            #expect(try log.sequence(atOrAfter: time) == after, "\(time)")
            #expect(try log.sequence(atOrBefore: time) == before, "\(time)")
            #expect(try log.sequence(atOrBefore: time, in: 2...2) == min(max(before, 1), 2), "\(time)")
            #expect(try log.sequence(atOrBefore: time, in: 3...9) == max(before, 2), "\(time)")
        }
    }

    @Test(arguments: LogMaking.allCases) func `the checksum of a record covers all records before it`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        try log.append([[1], [2]])
        #expect(try log.checksum(of: 2) == log.head.checksum)
        #expect(try log.checksum(of: 1) != log.head.checksum)
        #expect(try log.checksum(of: 3) == nil)
        let other = InMemoryActionLog()
        try other.append([[9], [2]])
        #expect(other.head.checksum != log.head.checksum)
    }

    @Test(arguments: LogMaking.allCases) func `a flush that does not follow the head is refused`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        var early = Flush(after: log.head)
        early.stage(.action(after: early), payload: [1])
        try log.append([[1]])
        let head = log.head
        #expect(throws: ActionLogError.contradiction(what: "it follows record 0, but the log ends at 1")) {
            try log.append(early)
        }
        #expect(log.head == head)
        #expect(try log.records().count == 1)
    }

    @Test(arguments: LogMaking.allCases) func `an empty flush changes nothing`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        try log.append([[1]])
        let head = log.head
        let flush = Flush(after: head)
        #expect(flush.isEmpty)
        try log.append(flush)
        #expect(log.head == head)
    }

    @Test(arguments: LogMaking.allCases) func `a dropped batch leaves no trace`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        var flush = Flush(after: log.head)
        flush.stage(.action(after: flush), payload: [1])
        let mark = flush.mark
        flush.stage(.action(after: flush, key: "dropped"), payload: [2])
        try flush.stage(KeyRow(first: 2, last: 2, digest: 1), key: "dropped", of: 1)
        flush.add(OutboxRow(id: CommandID(sequence: 2, index: 0), call: CommandCall(name: "dropped")))
        flush.truncate(to: mark)
        #expect(flush.mark == mark)
        flush.stage(.action(after: flush), payload: [3])
        try log.append(flush)
        #expect(try log.records().map(\.payload) == [[1], [3]])
        #expect(try log.key("dropped", of: 1) == nil)
        #expect(try log.outbox().isEmpty)
    }

    @Test(arguments: LogMaking.allCases) func `the log reports its size`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        var flush = Flush(after: log.head)
        flush.stage(.action(after: flush), payload: [1])
        try flush.stage(KeyRow(first: 1, last: 1, digest: 1), key: "k", of: 1)
        flush.add(OutboxRow(id: CommandID(sequence: 1, index: 0), call: CommandCall(name: "c")))
        try log.append(flush)
        let use = try log.storage()
        #expect(use.records == 1)
        #expect(use.keys == 1)
        #expect(use.commands == 1)
        #expect(use.usedBytes > 0)
        #expect(log.headroom().refusal(freeBytesMin: 1) == nil)
        try log.anchor()
    }
}

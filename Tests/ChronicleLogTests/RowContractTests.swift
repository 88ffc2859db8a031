import ChronicleLog
import ChronicleValues
import TestSupport
import Testing

/// The contract of every log for keys and open commands.
@Suite(.serialized) struct RowContractTests {
    let directory = TemporaryDirectory()

    @Test func `a batch from another machine can change only certain kinds of rows`() throws {
        @discardableResult
        func stage(_ kind: UInt64, _ key: [UInt8], _ value: [UInt8]) throws -> Flush {
            var writer = CanonicalWriter()
            writer.message(4) { writer in
                writer.field(1, kind)
                writer.field(2, key)
                writer.field(3, value)
            }
            var flush = Flush(after: InMemoryActionLog().head)
            try flush.append(ReplicatedBatch(canonical: writer.bytes))
            return flush
        }
        let bookmark = BookmarkRow(name: "here", sequence: 1, record: 2)
        let bookmarked = RowKey.bookmark + Array("here".utf8)
        try stage(5, bookmarked, Row.sealed(bookmark, key: bookmarked))
        try stage(6, bookmarked, [])
        // Changes of a table that older versions had.
        for (kind, value) in [(7, [1, 2, 3]), (8, [])] as [(UInt64, [UInt8])] {
            #expect(try stage(kind, Array("subscription/here".utf8), value).isEmpty)
        }
        #expect(throws: CanonicalError.self) { try stage(9, bookmarked, []) }
        for key in [RowKey.head, RowKey.identity, RowKey.replica, RowKey.bookmark] {
            #expect(throws: ActionLogError.self) { try stage(5, key, Row.sealed(bookmark, key: key)) }
            #expect(throws: ActionLogError.self) { try stage(6, key, []) }
        }
        // A batch can't contain a value that is unreadable.
        #expect(throws: ActionLogError.self) { try stage(5, bookmarked, [1, 2, 3]) }
        #expect(throws: ActionLogError.self) { try stage(1, [1], Row.sealed(KeyRow(first: 1, last: 1, digest: 1), key: [1])) }
        #expect(throws: ActionLogError.self) { try stage(4, [1], []) }
    }

    @Test(arguments: LogMaking.allCases) func `the row of a key is read back as it was written`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        let rows = [
            KeyRow(first: 0, last: 0, digest: 0),
            KeyRow(first: 1, last: 3, ids: [7, 8, 9, 4, 5, 0, 1, .max, 3], digest: .max, epoch: 9, time: -1),
            KeyRow(first: 2, last: 2, ids: Array(1...20_000), digest: 1),
        ]
        var flush = Flush(after: log.head)
        for (index, row) in rows.enumerated() { try flush.stage(row, key: "key \(index)", of: 5) }
        try log.append(flush)
        for (index, row) in rows.enumerated() { #expect(try log.key("key \(index)", of: 5) == row) }
        #expect(try log.key("key 3", of: 5) == nil)
    }

    @Test(arguments: LogMaking.allCases) func `a key belongs to its uid`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        var flush = Flush(after: log.head)
        try flush.stage(KeyRow(first: 1, last: 1, digest: 1), key: "same", of: 1)
        try flush.stage(KeyRow(first: 2, last: 2, digest: 2), key: "same", of: 256)
        try log.append(flush)
        #expect(try log.key("same", of: 1)?.digest == 1)
        #expect(try log.key("same", of: 256)?.digest == 2)
        #expect(try log.key("same", of: 2) == nil)
    }

    @Test(arguments: LogMaking.allCases) func `a flush with an existing key is refused as a whole`(
        making: LogMaking
    ) throws {
        let log = try making.make(in: directory)
        var flush = Flush(after: log.head)
        try flush.stage(KeyRow(first: 1, last: 1, digest: 1), key: "k", of: 1)
        try log.append(flush)
        flush.restart(after: log.head)
        flush.stage(.action(after: flush), payload: [1])
        flush.add(OutboxRow(id: CommandID(sequence: 1, index: 0), call: CommandCall(name: "c")))
        try flush.stage(KeyRow(first: 1, last: 1, digest: 2), key: "k", of: 1)
        let error = #expect(throws: ActionLogError.self) { try log.append(flush) }
        guard case .contradiction = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(log.head.sequence == 0)
        #expect(try log.records().isEmpty)
        #expect(try log.outbox().isEmpty)
        #expect(try log.key("k", of: 1)?.digest == 1)
    }

    @Test(arguments: LogMaking.allCases) func `a key has 1 to 64 bytes`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        var flush = Flush(after: log.head)
        let row = KeyRow(first: 1, last: 1, digest: 1)
        let longest = String(repeating: "k", count: 64)
        #expect(throws: ActionLogError.keyLength(bytes: 0)) { try flush.stage(row, key: "", of: 1) }
        #expect(throws: ActionLogError.keyLength(bytes: 65)) { try flush.stage(row, key: longest + "k", of: 1) }
        #expect(throws: ActionLogError.keyLength(bytes: 66)) { try log.key(longest + "ä", of: 1) }
        #expect(flush.isEmpty)
        try flush.stage(row, key: longest, of: 1)
        try log.append(flush)
        #expect(try log.key(longest, of: 1) == row)
    }

    @Test(arguments: LogMaking.allCases) func `open commands are listed in the order of their ids with changes applied`(
        making: LogMaking
    ) throws {
        let log = try making.make(in: directory)
        let call = CommandCall(name: "load", version: 3, arguments: [1, 2])
        let rows = [(256, 0), (1, 1), (1, 0), (2, 9)].map { sequence, index in
            OutboxRow(id: CommandID(sequence: UInt64(sequence), index: UInt32(index)), call: call)
        }
        var flush = Flush(after: log.head)
        for row in rows { flush.add(row) }
        try log.append(flush)
        #expect(try log.outbox() == [rows[2], rows[1], rows[3], rows[0]])

        var changed = rows[1]
        changed.stage = .parked
        changed.attempts = 4
        changed.due = 99
        changed.reason = "no answer"
        flush.restart(after: log.head)
        flush.change(changed)
        flush.close(rows[0].id)
        let brief = OutboxRow(id: CommandID(sequence: 300, index: 0), call: call)
        flush.add(brief)
        flush.close(brief.id)
        try log.append(flush)
        #expect(try log.outbox() == [rows[2], changed, rows[3]])
    }

    @Test(arguments: LogMaking.allCases) func `a command that is not open can neither change nor end`(making: LogMaking) throws {
        let log = try making.make(in: directory)
        let row = OutboxRow(id: CommandID(sequence: 1, index: 0), call: CommandCall(name: "c"))
        var flush = Flush(after: log.head)
        flush.close(row.id)
        #expect(throws: ActionLogError.self) { try log.append(flush) }
        flush.restart(after: log.head)
        flush.change(row)
        #expect(throws: ActionLogError.self) { try log.append(flush) }
        flush.restart(after: log.head)
        flush.add(row)
        flush.add(row)
        #expect(throws: ActionLogError.self) { try log.append(flush) }
        #expect(try log.outbox().isEmpty)
    }

    @Test(arguments: LogMaking.allCases) func `commands up to a sequence are held until all are released`(making: LogMaking)
        throws
    {
        let log = try making.make(in: directory)
        var flush = Flush(after: log.head)
        for sequence in 1...3 as ClosedRange<UInt64> {
            flush.add(OutboxRow(id: CommandID(sequence: sequence, index: 0), call: CommandCall(name: "c")))
        }
        flush.headChange.heldThrough = 2
        try log.append(flush)
        #expect(try log.outbox().map(\.isHeld) == [true, true, false])
        #expect(log.head.heldThrough == 2)
        flush.restart(after: log.head)
        flush.headChange.heldThrough = 0
        #expect(!flush.isEmpty)
        try log.append(flush)
        #expect(try log.outbox().map(\.isHeld) == [false, false, false])
    }
}

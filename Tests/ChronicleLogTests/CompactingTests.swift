import ChronicleValues
import Foundation
import LMDB
import TestSupport
import Testing

@testable import ChronicleLog
@testable import DiskLog

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

    /// Compacts as the daemon does.
    ///
    /// `between` runs while the log is being copied.
    func compact(
        _ log: LMDBActionLog, to base: Base, state: [UInt8], keeping isKept: (KeyRow) -> Bool = { _ in true },
        between: () throws -> Void = {}
    ) throws {
        try log.beginCompaction()
        defer { log.endCompaction() }
        let compactedCopy = try log.compactedCopy(
            after: base, state: RawState(state), telling: CompactionSummary(), keeping: isKept)
        try between()
        try log.compact(to: compactedCopy)
    }

    @Test func `rows of subscriptions, which older versions wrote, are ignored`() throws {
        let log = try made()
        for line in GoldenTests.golden("subscription.txt").map({ $0.split(separator: " ") }) {
            try log.setRowValue(GoldenTests.bytes(line[2]), of: GoldenTests.bytes(line[1]), in: .meta)
        }
        try log.setRowValue([1, 2, 3], of: Array("subscription/damaged".utf8), in: .meta)
        try log.checkEnds()
        #expect(try log.legibleRows().illegible == 0 && log.bookmarks().map(\.name) == ["here"])
        try compact(log, to: try base(4, of: log), state: [1])
        let (backup, new) = (directory.path + "/backup", directory.path + "/new")
        _ = try log.backUp(to: backup)
        _ = try LMDBActionLog.restore(from: backup, to: new)
        let restored = try LMDBActionLog.open(directory: new, configuration: .small)
        try restored.checkEnds()
        // Opening a copy appends the record of its epoch.
        #expect(try restored.head.sequence == 10 && restored.bookmarks().map(\.name) == ["here"])
    }

    @Test func `the slow work of a compaction is done before and after its part on the thread of the appends`() throws {
        let log = try made()
        let state = [UInt8](repeating: 7, count: 4 << 20)
        func fileBytes(_ name: String) throws -> Int {
            var status = stat()
            try #require(stat("\(directory.path)/\(name)", &status) == 0)
            return Int(status.st_size)
        }
        /// The memory maps of deleted files.
        func replacedMaps() throws -> Int {
            // The list is read in chunks, and concurrent maps may hide one of its lines.
            var maps: Set<Substring> = []
            for _ in 0..<5 {
                let lines = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n")
                maps.formUnion(lines.filter { $0.contains("\(directory.path)/data.mdb (deleted)") })
            }
            return maps.count
        }
        try log.beginCompaction()
        let compactedCopy = try log.compactedCopy(
            after: try base(5, of: log), state: RawState(state), telling: CompactionSummary()
        ) { _ in
            true
        }
        let before = try fileBytes("compacted.new/data.mdb")
        #expect(before > state.count)
        try log.compact(to: compactedCopy)
        #expect(try fileBytes("data.mdb") < before + 1 << 20)
        #expect(try log.baseRow()?.state == state)
        // Sanitizers have memory maps of their own and do not show these.
        if !Sanitizer.isOn { #expect(try replacedMaps() == 1) }
        log.endCompaction()
        #expect(try replacedMaps() == 0)
        try log.append([[10]])
    }

    @Test func `a second compaction leaves only the new base`() throws {
        let log = try made()
        try compact(log, to: try base(3, of: log), state: [3])
        try compact(log, to: try base(5, of: log), state: [5])
        #expect(try log.baseRow()?.state == [5])
    }

    @Test func `a reader during a compaction sees one log and its base, never parts of two`() async throws {
        let log = try made()
        func compact(before sequence: UInt64) throws {
            let state = BookmarkRow(name: "", sequence: sequence, record: 0).canonicalBytes
            try self.compact(log, to: try base(sequence, of: log), state: state)
        }
        try compact(before: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled, log.base?.sequence != 300 {
                    let (base, state) = try #require(try log.baseState(as: BookmarkRow.self))
                    try #require(state.sequence == base.sequence)
                    #expect(try log.sequence(atOrAfter: 0) > base.sequence)
                }
            }
            for sequence in 2...300 as ClosedRange<UInt64> {
                try log.append([[1]])
                try compact(before: sequence)
            }
        }
    }

    @Test func `a compacted log continues at the same sequence and begins with its base`() throws {
        let log = try made()
        let (head, checksum) = (log.head, try log.checksum(of: 7))
        let time = try log.sealed(5).header.time
        var base = try base(5, of: log)
        base.time = time
        try compact(log, to: base, state: [1, 2, 3]) { $0.time >= 4 }
        #expect(log.base == base && log.first == 6)
        #expect(try log.baseRow()?.state == [1, 2, 3])
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

    @Test func `a compacted log is the same after a restart, in the same epoch, and can be compacted again`() throws {
        var epoch: UInt64 = 0
        do {
            let log = try made()
            epoch = log.head.epoch
            try compact(log, to: try base(4, of: log), state: [9])
        }
        do {
            let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
            #expect(log.head.epoch == epoch && log.head.sequence == 9 && log.base?.sequence == 4)
            let before = try base(4, of: log)
            #expect(throws: ActionLogError.self) { try compact(log, to: before, state: []) }
            var last = try base(9, of: log)
            last.time = log.head.time
            try compact(log, to: last, state: [10], keeping: { _ in false })
            try log.append([[10]])
        }
        do {
            let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
            #expect(try log.records(from: 10).map(\.payload) == [[10]])
            #expect(try log.baseRow()?.state == [10])
        }
        let looked = try LMDBActionLog.openReadOnly(directory: directory.path, configuration: .small)
        #expect(looked.damage == nil && looked.head.sequence == 10)
    }

    @Test func `a compacted log contains the changes that were made while it was copied`() throws {
        let log = try made()
        try compact(
            log, to: try base(4, of: log), state: [9],
            between: {
                for sequence in 10...12 as ClosedRange<UInt64> {
                    var flush = Flush(after: log.head)
                    flush.stage(.action(after: flush, key: "key \(sequence)"), payload: [UInt8(sequence)])
                    try flush.stage(
                        KeyRow(first: sequence, last: sequence, digest: 7, time: Int64(sequence)), key: "key \(sequence)", of: 1)
                    // A dispatch that logged nothing has only a key.
                    try flush.stage(KeyRow(first: 0, last: 0, digest: 7, time: Int64(sequence)), key: "empty \(sequence)", of: 1)
                    flush.close(CommandID(sequence: sequence == 10 ? 2 : sequence - 1, index: 0))
                    flush.add(OutboxRow(id: CommandID(sequence: sequence, index: 0), call: CommandCall(name: "later")))
                    flush.set(BookmarkRow(name: "there", sequence: 3, record: sequence))
                    try log.append(flush)
                }
                try log.redact(7, payload: [77])
                try log.redact(11, payload: [111])
            })
        #expect(try log.records(from: 5).map(\.payload) == [[5], [6], [77], [8], [9], [10], [111], [12]])
        for name in (1...12).map({ "key \($0)" }) + (10...12).map({ "empty \($0)" }) {
            #expect(try log.key(name, of: 1) != nil, "\(name)")
        }
        #expect(try log.outbox().map(\.id.sequence) == [12])
        #expect(try log.bookmarks().map(\.name) == ["here", "there"])
        try log.append([[13]])
        try log.checkEnds()
    }

    @Test(arguments: [false, true])
    func `a cancelled compaction leaves the log unchanged`(isCopied: Bool) async throws {
        let log = try made()
        let base = try base(4, of: log)
        try log.beginCompaction()
        defer { log.endCompaction() }
        @Sendable func copy() throws -> CompactedCopy {
            try log.compactedCopy(after: base, state: RawState([9]), telling: CompactionSummary()) { _ in true }
        }
        let copied = isCopied ? try copy() : nil
        for sequence in 10...12 as ClosedRange<UInt8> { try log.append([[sequence]]) }
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask {
                #expect(throws: ActionLogError.contradiction(what: "the compaction was cancelled")) {
                    try log.compact(to: try copied ?? copy())
                }
            }
        }
        #expect(log.base == nil)
        #expect(try log.records().map(\.payload) == (1...12).map { [$0] })
        #expect(try log.outbox().count == 1 && log.bookmarks().count == 1 && log.key("key 3", of: 1) != nil)
    }

    @Test(arguments: ["records", "keys"])
    func `a copy with fewer rows than it needs does not replace the log`(table: String) throws {
        let log = try made()
        try log.beginCompaction()
        defer { log.endCompaction() }
        let copy = try log.compactedCopy(after: try base(4, of: log), state: RawState([9]), telling: CompactionSummary()) { _ in
            true
        }
        try copy.environment.write { (transaction) throws(LMDBError) in
            if table == "records" {
                _ = try transaction.delete(6, in: log.tables.records)
            } else {
                var key: [UInt8] = []
                try? RowKey.append("key 9", of: 1, to: &key)
                _ = try transaction.delete(key.span.bytes, in: log.tables.keys)
            }
        }
        #expect(throws: ActionLogError.self) { try log.compact(to: copy) }
        #expect(log.base == nil)
        #expect(try log.records().count == 9)
    }

    @Test func `redacting a record before the base aborts a compaction, and a second concurrent one is refused`() throws {
        let log = try made()
        let base = try base(4, of: log)
        let wasRedacted = "record 3 was redacted during the compaction: compact the log again"
        #expect(throws: ActionLogError.contradiction(what: wasRedacted)) {
            try compact(log, to: base, state: [9], between: { try log.redact(3, payload: [33]) })
        }
        #expect(throws: ActionLogError.contradiction(what: "a compaction is already running: try again when it has ended")) {
            try compact(log, to: base, state: [9], between: { try log.beginCompaction() })
        }
        #expect(log.base == nil)
        #expect(try log.records().map(\.payload) == [[1], [2], [33], [4], [5], [6], [7], [8], [9]])
        try compact(log, to: base, state: [9])
        #expect(log.base == base)
    }

    @Test func `a compaction that is interrupted before the exchange changes nothing and is cleaned up`() throws {
        do {
            let log = try made()
            try log.beginCompaction()
            _ = try log.compactedCopy(after: try base(4, of: log), state: RawState([9]), telling: CompactionSummary()) { _ in true
            }
        }
        #expect(try Directory.names(directory.path).contains("compacted.new"))
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        #expect(try log.base == nil && log.records().count == 9)
        #expect(try !Directory.names(directory.path).contains("compacted.new"))
    }

    @Test func `a compaction that is interrupted after its file was renamed is complete`() throws {
        let names = ["lock.mdb", "head"]
        var before: [[UInt8]] = []
        var head = Head(epoch: 0, storeID: "")
        do {
            let log = try made()
            try log.anchor()
            try log.append([[10]])
            before = names.compactMap { SmallFile.bytes("\(directory.path)/\($0)") }
            try compact(log, to: try base(4, of: log), state: [9])
            head = log.head
        }
        // The other files are still those of the old log.
        let lock = try #require(SmallFile.bytes("\(directory.path)/lock.mdb"))
        try Directory.create("\(directory.path)/compacted.new")
        try OutputFile.write(lock.span.bytes, name: "lock.mdb", directory: "\(directory.path)/compacted.new")
        for (name, bytes) in zip(names, before) {
            try OutputFile.write(bytes.span.bytes, name: name, directory: directory.path)
        }
        let log = try LMDBActionLog.open(directory: directory.path, configuration: .small)
        #expect(log.base?.sequence == 4 && log.head == head)
        #expect(try log.records(from: 5).map(\.payload) == [[5], [6], [7], [8], [9], [10]])
        try log.append([[11]])
        try log.checkEnds()
    }

    @Test func `a damaged base and every flipped bit of it are detected at the start`() throws {
        let log = try made()
        try compact(log, to: try base(4, of: log), state: [9, 8, 7])
        let value = try log.rowValue(RowKey.base, in: .meta)
        for index in value.indices {
            for bit in 0..<8 as Range<UInt8> {
                var flipped = value
                flipped[index] ^= 1 << bit
                try log.setRowValue(flipped, of: RowKey.base, in: .meta)
                #expect(throws: ActionLogError.self) { try log.checkEnds() }
                #expect(throws: ActionLogError.self) { _ = try log.baseRow()?.state }
            }
        }
    }

    @Test func `the bytes of a base never change between versions`() throws {
        let row = BaseRow(base: Base(sequence: 300, checksum: 1, time: -1, archive: "a"), state: [7, 8])
        #expect(row.canonicalBytes == [0x04, 0xAC, 0x02, 0x08, 0x01, 0x0C, 0x01, 0x11, 0x01, 0x61, 0x15, 0x02, 7, 8])
        #expect(try BaseRow(canonical: row.canonicalBytes) == row)
    }

    @Test func `the settings at a base keep their format, and so does a base without settings`() throws {
        var row = BaseRow(base: Base(sequence: 3, checksum: 1, time: 2, archive: "a"), state: [7])
        row.kept.standing = CurrentFacts()
        #expect(row.canonicalBytes.suffix(2) == [0x21, 0x00])
        var standing = CurrentFacts()
        standing.epoch = 5
        standing.lock = Lock(reason: "why", origin: 9, record: 2)
        standing.invariants = [Invariant(name: "few", text: "true", origin: 9, record: 1)]
        standing.heldThrough = 2
        standing.bookmarks = [BookmarkRow(name: "here", sequence: 1, record: 3)]
        row.kept.standing = standing
        let command = OutboxRow(
            id: CommandID(sequence: 1, index: 0), call: CommandCall(name: "x"), depth: 2, edited: 3, pieces: 4)
        row.kept.open = [command]
        #expect(GoldenTests.hex(row.canonicalBytes[...]) == Self.standing)
        #expect(try BaseRow(canonical: row.canonicalBytes) == row)
    }

    private static let standing =
        "040308010c041101611501071d110502040109050501780801240230033804212c04050909050377687908090c020d0f0503666577090474727565"
        + "0c0910011002150a05046865726508010c03"
}

import ChronicleLog
import ChronicleStore
import ChronicleValues
import Foundation
import Glibc
import Testing
import TodoAPI

@testable import ChronicleDaemon

/// Tests of the base at the beginning of a compacted log's export, as text and back.
@Suite struct ExportedBaseTests {
    private func row(state: [UInt8] = [1, 2, 3], _ change: (inout BaseRow) -> Void = { _ in }) -> BaseRow {
        var row = BaseRow(base: Base(sequence: 7, checksum: 99, time: 1_000, archive: "archive-1-7.jsonl.zst"), state: state)
        row.kept.open = [
            OutboxRow(id: CommandID(sequence: 3, index: 0), call: CommandCall(name: "todos.load"), step: 3, pieces: 2)
        ]
        var standing = CurrentFacts()
        standing.bookmarks = [BookmarkRow(name: "here", sequence: 2, record: 4)]
        row.kept.standing = standing
        change(&row)
        return row
    }

    private func row(openCommands count: Int) -> BaseRow {
        row {
            $0.base.sequence = UInt64(count)
            $0.kept.open = (1...UInt64(count)).map {
                OutboxRow(id: CommandID(sequence: $0, index: 0), call: CommandCall(name: "todos.load"))
            }
        }
    }

    private func log(_ row: BaseRow) throws -> InMemoryActionLog {
        let log = InMemoryActionLog()
        var flush = Flush(after: log.head)
        try flush.begin(with: row)
        try log.append(flush)
        return log
    }

    private func lines(_ row: BaseRow) async throws -> [String] {
        let base = try #require(try ExportedBase(of: log(row)))
        var header = header(base.byteCount)
        (header.first, header.last) = (row.base.sequence + 1, row.base.sequence)
        var lines = [String(decoding: header.line, as: UTF8.self)]
        try await base.writeLines { lines.append(String($0.dropLast())) }
        return lines
    }

    private func header(_ byteCount: Int?) -> ExportHeader {
        ExportHeader(
            version: "1", storeID: "s", epoch: 1, first: 8, last: 7, before: 99, checksum: 99, digest: 0, baseBytes: byteCount)
    }

    /// The base that is read from lines.
    fileprivate func read(_ lines: [String]) async throws -> BaseRow? {
        try await reading(lines) { file in
            let header = try ExportHeader(try #require(try file.next()))
            return try await file.base(of: header, at: 1_000_000)
        }
    }

    private func reading<Result>(
        _ lines: [String], _ body: (inout ExportFile) async throws -> Result
    ) async throws -> Result {
        let path = FileManager.default.temporaryDirectory.appending(path: "base-\(UInt64.random(in: 0 ... .max))").path
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer {
            close(descriptor)
            unlink(path)
        }
        var file = ExportFile(descriptor: descriptor)
        return try await body(&file)
    }

    private func expectRefused(_ lines: [String], _ what: String) async {
        do throws {
            _ = try await read(lines)
            Issue.record("\(what) was taken")
        } catch let failure as ImportFailure {
            #expect(failure.sentence.contains(what), "\(failure.sentence)")
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func `a base of any size survives an export and an import`() async throws {
        for count in [0, 1, ExportedBase.pieceBytesMax, 3 * ExportedBase.pieceBytesMax + 1] {
            let row = row(state: (0..<count).map { UInt8(truncatingIfNeeded: $0) })
            let lines = try await lines(row)
            #expect(try await read(lines) == row)
        }
        let large = try await lines(row(state: [UInt8](repeating: 7, count: 2 * ExportedBase.pieceBytesMax)))
        #expect(large.count == 4)
    }

    @Test func `a base that is truncated, changed, repeated or of another record is refused with a message`() async throws {
        let lines = try await lines(row(state: [UInt8](repeating: 7, count: 2 * ExportedBase.pieceBytesMax)))
        await expectRefused(Array(lines.dropLast()), "is incomplete")
        await expectRefused([lines[0], lines[1], lines[1], lines[1]], "is incomplete")
        await expectRefused([lines[0], lines[2], lines[1], lines[3]], "is damaged")
        await expectRefused([lines[0], lines[1], "{\"bytes\":\"AAAA\"}"], "is incomplete")
        var flipped = lines
        let place = flipped[1].index(flipped[1].startIndex, offsetBy: 400)
        flipped[1].replaceSubrange(place...place, with: flipped[1][place] == "A" ? "B" : "A")
        await expectRefused(flipped, "is damaged")
        await expectRefused(
            [lines[0].replacing("\"first\":8", with: "\"first\":9").replacing("\"last\":7", with: "\"last\":8")] + lines[1...],
            "does not match the record before record 9")
        await expectRefused([lines[0].replacing("\"format\":2", with: "\"format\":1")] + lines[1...], "first line is damaged")
        await expectRefused(
            [lines[0].replacing("\"format\":2", with: "\"format\":3")] + lines[1...], "this version can't read")
        for (bytes, what) in [
            ("0", "first line is damaged"), ("-1", "first line is damaged"), ("268435456", "is incomplete"),
            ("268435457", "268435457 bytes, more than the maximum of 268435456"),
            ("9223372036854775807", "more than the maximum of 268435456"),
        ] {
            let header = lines[0].replacing(/"base":\d+/, with: "\"base\":\(bytes)")
            await expectRefused([header] + lines[1...], what)
        }
    }

    @Test func `the rows of a base are counted before they are allocated, even if they are damaged`() async throws {
        var row = row(openCommands: 9)
        row.kept.standing = CurrentFacts()
        row.kept.standing?.lock = Lock(reason: "r")
        row.kept.standing?.epoch = 2
        row.kept.standing?.heldThrough = 3
        row.kept.standing?.bookmarks = (0..<5).map { BookmarkRow(name: "b\($0)", sequence: 0, record: 1) }
        row.kept.keys.add(KeyRow(first: 1, last: 1, digest: 1), at: KeyPlace(uid: 1, key: "k"))
        #expect(BaseRow.rowCount(exported: row.exportedBytes) == 15)
        #expect(BaseRow.rowCount(exported: []) == 0 && BaseRow.rowCount(exported: [0, 1, 2]) == 0)
        await expectRefused(
            try await lines(self.row(openCommands: ImportLimits.baseRowsMax + 1)), "more open commands and bookmarks")
        await expectRefused(try await lines(self.row(openCommands: Limits.openCommandsMax + 1)), "more than 65536 open commands")
        // Rows of two bytes each, followed by damage.
        let least = [UInt8](repeating: 7 << 2 | 1, count: 1) + [0]
        let bytes = (0...ImportLimits.baseRowsMax).flatMap { _ in least } + [0xFF] + [UInt8](repeating: 0, count: 8)
        let line = "{\"base\":\"\(Base64.text(bytes))\"}"
        await expectRefused(
            [String(decoding: header(bytes.count).line, as: UTF8.self), line], "more open commands and bookmarks")
    }

    @Test func `reading a base stops once the task is cancelled`() async throws {
        let lines = try await lines(row())
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await read(lines)
        }
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test func `a base that no import accepts is not exported, and the error names the alternative`() async throws {
        let row = row(state: [UInt8](repeating: 7, count: 1_000))
        let count = try #require(try ExportedBase(of: log(row))).byteCount
        #expect(try ExportedBase(of: log(row), bytesMax: count) != nil)
        let refused = #expect(throws: APIError.self) { try ExportedBase(of: log(row), bytesMax: count - 1) }
        #expect(refused?.name == "org.todod.Store.AnswerTooLarge" && refused?.message.contains("--from 8 ") == true)
    }

    @Test func `a base with too many keys is neither exported nor read, whatever count it claims`() async throws {
        func row(_ count: [UInt8]) throws -> BaseRow {
            let keys = try RowTally(canonical: [4] + count)
            return self.row { $0.kept.keys = keys }
        }
        let most = try row([0x80, 0x80, 0x80, 0x04])
        #expect(most.kept.keys.count == ImportLimits.baseKeysMax)
        #expect(try await read(lines(most)) == most)
        for count in [[0x81, 0x80, 0x80, 0x04], Array(repeating: 0xFF, count: 9) + [1]] as [[UInt8]] {
            let row = try row(count)
            let refused = try #require(throws: APIError.self) { try ExportedBase(of: log(row)) }
            #expect(refused.name == "org.todod.Store.AnswerTooLarge")
            #expect(
                refused.message.contains("8388608 keys") && refused.message.contains("at least one more record")
                    && refused.message.contains("--forget-keys"))
            let bytes = row.exportedBytes
            let lines = [String(decoding: header(bytes.count).line, as: UTF8.self), "{\"base\":\"\(Base64.text(bytes))\"}"]
            await expectRefused(lines, "has more than 8388608 keys")
        }
    }

    @Test func `the ids of a key are counted before they are allocated, even if they are damaged`() {
        let row = KeyRow(first: 1, last: 9, ids: [1, 2, 3, 7, 9, 10], digest: 1, epoch: 2, time: 3)
        let bytes = DerivedRows.KeyRun(KeyPlace(uid: 1, key: "k"), row).exportedBytes
        #expect(DerivedRows.KeyRun.idCount(exported: bytes) == 6)
        #expect(DerivedRows.KeyRun.idCount(exported: []) == 0 && DerivedRows.KeyRun.idCount(exported: [0, 1, 2]) == 0)
        // Two runs with the maximum number of ids, in a truncated row.
        let run: [UInt8] = [13, 11, 8] + Array(repeating: 0xFF, count: 9) + [1]
        let damaged = [13, UInt8(2 * run.count)] + run + run + [0xFF] + [UInt8](repeating: 0, count: 8)
        #expect(DerivedRows.KeyRun.idCount(exported: damaged) == .max)
    }

    @Test func `reading keys pauses after a certain amount of work and stops once the task is cancelled`() async throws {
        func read(_ keys: [DerivedRows.KeyRun]) async throws -> (keys: Int, pauses: Int) {
            let row = row { row in for key in keys { row.kept.keys.add(key.row, at: key.place) } }
            var (count, pauses) = (0, 0)
            try await reading(keys.map { String(ExportedBase.line(of: $0).dropLast()) }) { file in
                try await file.readKeys(of: row, pause: { pauses += 1 }) { _ in count += 1 }
            }
            return (count, pauses)
        }
        func keys(_ count: Int, ids: UInt64) -> [DerivedRows.KeyRun] {
            (1...count).map { number in
                DerivedRows.KeyRun(
                    KeyPlace(uid: 1, key: "k\(number)"), KeyRow(first: 1, last: 1, ids: Array(1...ids), digest: 1))
            }
        }
        // Few keys with many ids each, and many keys with few ids each.
        #expect(try await read(keys(3, ids: 40_000)) == (3, 3))
        #expect(try await read(keys(3, ids: 1)) == (3, 0))
        #expect(try await read(keys(9_000, ids: 1)).pauses > 0)
        let unwanted = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await read(keys(1, ids: 1))
        }
        await #expect(throws: CancellationError.self) { try await unwanted.value }
    }

    @Test func `concurrent exports share one current base, which is released after the last one`() async throws {
        let log = try log(row())
        var flush = Flush(after: log.head)
        flush.stage(RecordHeader(kind: .action, sequence: 8, time: 2_000, step: 8), payload: [1, 2])
        try log.append(flush)
        let shared = SharedBase()
        var held = try await shared.current(of: log)
        #expect(try await shared.current(of: log) === held && held != nil)
        weak let first = held
        try log.redact(8, payload: [3])
        #expect(try await shared.current(of: log) !== held)
        held = try await shared.current(of: log)
        #expect(first == nil)
        #expect(try await shared.current(of: log) === held)
        let later = try self.log(row { $0.base.sequence = 9 })
        #expect(try await shared.current(of: later)?.base.sequence == 9)
        #expect(try await shared.current(of: InMemoryActionLog()) == nil)
    }

    @Test func `an export beyond the range of exact numbers is refused at its first line`() async throws {
        var header = header(nil)
        for (first, last, isRead) in [
            (1, 1 << 52, true), (1 << 52 + 1, 1 << 52, true), (1, 1 << 52 + 1, false), (1 << 53, 1 << 53, false),
            (UInt64(Int64.max), UInt64(Int64.max) - 1, false),
        ] as [(UInt64, UInt64, Bool)] {
            (header.first, header.last) = (first, last)
            let json = try Value(parsing: header.line)
            if isRead {
                #expect(try ExportHeader(json) == header)
            } else {
                let line = String(decoding: header.line, as: UTF8.self)
                await expectRefused([line], "It ends at record \(last)")
            }
        }
    }

    @Test func `a base with numbers that no compaction writes is refused`() {
        let now: Int64 = 1_000_000
        #expect(ImportLimits.objection(to: row(), at: now) == nil)
        #expect(ImportLimits.objection(to: row(openCommands: Limits.openCommandsMax), at: now) == nil)
        let wrong: [(inout BaseRow) -> Void] = [
            { $0.base.sequence = 0 }, { $0.base.sequence = 1 << 52 + 1 }, { $0.base.time = 0 }, { $0.base.time = .max },
            { $0.base.archive = "../head" },
            { $0.base.archive = String(repeating: "a", count: 65) },
            { $0.kept.open[0].id.sequence = 8 }, { $0.kept.open[0].id.sequence = 0 }, { $0.kept.open[0].step = .max },
            { $0.kept.open[0].edited = 8 }, { $0.kept.open[0].depth = .max }, { $0.kept.open[0].pieces = .max },
            { $0.kept.open[0].attempts = 1 }, { $0.kept.open[0].due = -1 }, { $0.kept.open.append($0.kept.open[0]) },
            { $0.kept.standing?.bookmarks[0].name = "" }, { $0.kept.standing?.bookmarks[0].record = 8 },
            { $0.kept.standing?.bookmarks[0].name = String(repeating: "b", count: 65) },
            { $0.kept.standing?.bookmarks[0].sequence = 5 },
            { row in row.kept.standing?.bookmarks.append(BookmarkRow(name: "here", sequence: 0, record: 1)) },
            { row in
                row.base.sequence = 9_999
                row.kept.standing?.bookmarks = (0...Limits.bookmarksMax).map {
                    BookmarkRow(name: "b\($0)", sequence: 0, record: 1)
                }
            },
            { $0 = self.row(openCommands: Limits.openCommandsMax + 1) },
        ]
        for (number, change) in wrong.enumerated() {
            #expect(ImportLimits.objection(to: row(change), at: now) != nil, "\(number)")
        }
    }
}

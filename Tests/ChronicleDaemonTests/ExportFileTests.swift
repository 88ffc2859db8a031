import ChronicleLog
import ChronicleStore
import ChronicleValues
import Foundation
import Glibc
import Testing
import TodoAPI
import Varlink

@testable import ChronicleDaemon

/// Tests of untrusted export lines.
@Suite struct ExportFileTests {
    private func reading<Result>(
        _ line: [UInt8], _ body: (inout ExportFile) async throws -> Result
    ) async throws -> Result {
        let path = FileManager.default.temporaryDirectory.appending(path: "line-\(UInt64.random(in: 0 ... .max))").path
        try Data(line + [UInt8(ascii: "\n")]).write(to: URL(fileURLWithPath: path))
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer {
            close(descriptor)
            unlink(path)
        }
        var file = ExportFile(descriptor: descriptor)
        return try await body(&file)
    }

    private func list(_ count: Int, _ element: String) -> [UInt8] {
        Array("{\"words\":[\(Array(repeating: element, count: count).joined(separator: ","))]}".utf8)
    }

    @Test func `a line with more values than a record has is refused before they are allocated`() async throws {
        let many = list(ExportFile.linePartsMax, "0")
        let refused = await #expect(throws: ImportFailure.self) { try await reading(many) { try $0.next() } }
        #expect(refused?.sentence == "Line 1 holds more than \(ExportFile.linePartsMax) values.")
        // The list and its container count as well.
        let most = try await reading(list(ExportFile.linePartsMax - 2, "0")) { try $0.next() }
        #expect(most?["words"]?.list?.count == ExportFile.linePartsMax - 2)
    }

    @Test func `commas, brackets and quotes in texts are not counted as values`() async throws {
        let text = String(repeating: #"\\,[{\"},"#, count: 1 << 20)
        #expect(text.utf8.count / 2 > ExportFile.linePartsMax)
        let line = try await reading(Array("{\"note\":\"\(text)\"}".utf8)) { try $0.next() }
        #expect(line?["note"]?.text?.utf8.count == 7 << 20)
    }

    @Test func `a line of a base or a key has its own limit`() async throws {
        let line = Array("{\"key\":\"".utf8) + [UInt8](repeating: UInt8(ascii: "A"), count: ExportFile.baseLineBytesMax - 10)
        let bytesMax = ExportFile.baseLineBytesMax
        let most = try await reading(line + Array("\"}".utf8)) { try $0.next(bytesMax: bytesMax) }
        #expect(most != nil)
        let refused = await #expect(throws: ImportFailure.self) {
            try await reading(line + Array("A\"}".utf8)) { try $0.next(bytesMax: bytesMax) }
        }
        #expect(refused?.sentence == "Line 1 is too long.")
    }

    @Test func `the ids of a key on a record are counted before they are allocated`() throws {
        let log = InMemoryActionLog()
        var flush = Flush(after: log.head)
        flush.stage(RecordHeader(kind: .hold, sequence: 1, time: 1, origin: 1, step: 1, key: "k"), payload: [])
        try log.append(flush)
        let bytes = Base64.text(try log.sealed(1).bytes)
        func line(ids: UInt64) throws -> Value {
            // Fields 1 and 2 of the row, and a run of ids.
            var further: [UInt8] = []
            var rest = ids - 1
            while rest > 0x7F { (further, rest) = (further + [UInt8(truncatingIfNeeded: rest) | 0x80], rest >> 7) }
            let run: [UInt8] = [4, 1, 8] + further + [UInt8(rest)]
            let row: [UInt8] = [4, 1, 8, 1, 13, UInt8(run.count)] + run
            let checksum = Checksum.of(row.span.bytes, seed: Checksum.of([UInt8]().span.bytes))
            let sealed = row + (0..<8).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
            return try Value(parsing: Array("{\"bytes\":\"\(bytes)\",\"done\":\"\(Base64.text(sealed))\"}".utf8))
        }
        guard case .record(_, let row) = try ExportLine(try line(ids: ImportLimits.keyIDsMax), expecting: 1) else {
            Issue.record("no record")
            return
        }
        #expect(row?.ids.count == Int(ImportLimits.keyIDsMax))
        let refused = #expect(throws: ImportFailure.self) {
            try ExportLine(try line(ids: ImportLimits.keyIDsMax + 1), expecting: 1)
        }
        #expect(refused?.sentence == "The key of record 1 is damaged.")
    }

    @Test func `reading records stops within a slice once the task is cancelled`() async throws {
        let log = InMemoryActionLog()
        var flush = Flush(after: log.head)
        for sequence in 1...3 as ClosedRange<UInt64> {
            flush.stage(
                RecordHeader(kind: .hold, sequence: sequence, time: Int64(sequence), origin: 1, step: sequence), payload: [])
        }
        try log.append(flush)
        let header = ExportHeader(
            version: "1", storeID: "s", epoch: 1, first: 1, last: 3, before: 0, checksum: 0, digest: 0)
        let lines = try (1...3).map { sequence in
            "{\"bytes\":\"\(Base64.text(try log.sealed(UInt64(sequence)).bytes))\",\"x\":\""
                + String(repeating: "x", count: ExportFile.turnBytes / 2) + "\"}"
        }
        let text = Array((lines + [String(decoding: ExportLine.end(3, outbox: []), as: UTF8.self)]).joined(separator: "\n").utf8)
        var count = 0
        _ = try await reading(text) { try await $0.readRecords(of: header) { _, _, _ in count += 1 } }
        #expect(count == 3)
        let unwanted = Task {
            var count = 0
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: CancellationError.self) {
                try await reading(text) { try await $0.readRecords(of: header) { _, _, _ in count += 1 } }
            }
            return count
        }
        // Two lines of half a slice each.
        #expect(await unwanted.value == 2)
    }
}

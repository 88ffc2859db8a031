import ChronicleLog
import DiskLog
import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Exports of compacted logs that no todod wrote: their bases have correct checksums and impossible keys.
@Suite(.ownThreads) struct ForeignBaseTests {
    private typealias Key = DerivedRows.KeyRun

    private static func key(_ name: String, upTo sequence: UInt64, ids: [UInt64] = []) -> Key {
        Key(
            KeyPlace(uid: 1, key: name), KeyRow(first: sequence, last: sequence, ids: ids, digest: 1, time: Int64(sequence)))
    }

    private static func base(_ keys: [Key]) -> BaseRow {
        var row = BaseRow(base: Base(sequence: 7, checksum: 99, time: 7, archive: nil), state: [])
        row.kept.standing = CurrentFacts()
        for key in keys { row.kept.keys.add(key.row, at: key.place) }
        return row
    }

    /// An export of records without content.
    ///
    /// - Parameters:
    ///   - base: the base at its beginning.
    ///   - keys: the lines of keys after the base.
    ///   - names: the keys of the records.
    ///   - done: the keys with rows.
    private static func export(
        _ base: BaseRow? = nil, keys: [[UInt8]] = [], records names: [String] = [], done: Set<Int> = []
    ) throws -> [UInt8] {
        let log = InMemoryActionLog()
        var flush = Flush(after: log.head)
        if let base { try flush.begin(with: base) }
        let first = (base?.base.sequence ?? 0) + 1
        for (index, name) in names.enumerated() {
            let sequence = first + UInt64(index)
            flush.stage(
                RecordHeader(kind: .hold, sequence: sequence, time: Int64(sequence), origin: 1, step: sequence, key: name),
                payload: [])
        }
        try log.append(flush)
        func digits(_ number: UInt64) -> String { String(String(UInt128(1) << 64 + UInt128(number), radix: 16).dropFirst()) }
        func text(_ bytes: [UInt8]) -> String { "\"\(Data(bytes).base64EncodedString())\"" }
        let bytes = base?.exportedBytes
        let last = first + UInt64(names.count) - 1
        var lines = [
            #"{"todod":"export","format":\#(base == nil ? 1 : 2),"version":"0","store":"s","epoch":1,"first":\#(first),"#
                + #""last":\#(last),"before":"\#(digits(base?.base.checksum ?? 0))","digest":"0000000000000000","#
                + #""checksum":"\#(digits(log.head.checksum))"\#(bytes.map { ",\"base\":\($0.count)" } ?? "")}"#
        ]
        if let bytes { lines.append("{\"base\":\(text(bytes))}") }
        lines += keys.map { "{\"key\":\(text($0))}" }
        for (index, name) in names.enumerated() {
            let sequence = first + UInt64(index)
            let row = key(name, upTo: sequence).row.exportedBytes
            lines.append(
                "{\"bytes\":\(text(try log.sealed(sequence).bytes))" + (done.contains(index) ? ",\"done\":\(text(row))" : "")
                    + "}")
        }
        lines.append(#"{"end":\#(last),"outbox":[]}"#)
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    private static func export(
        _ keys: [Key], records names: [String] = [], done: Set<Int> = []
    ) throws -> [UInt8] {
        try export(base(keys), keys: keys.map(\.exportedBytes), records: names, done: done)
    }

    private func expectImpossible(_ text: [UInt8], _ sentence: String, code: Int32 = 65, in daemon: Daemon) throws {
        let outcome = try daemon.todoctl("import", "-", "--risky", input: text)
        #expect(
            outcome.end == .exit(code) && outcome.text.hasPrefix("Impossible.") && outcome.text.contains(sentence), "\(outcome)")
    }

    @Test func `an export that names a key twice is impossible, wherever the two are`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let (a, b) = (Self.key("a", upTo: 2), Self.key("b", upTo: 3))
        try expectImpossible(Self.export([a, b, Self.key("a", upTo: 5)]), "The key of record 5 is named twice", in: daemon)
        try expectImpossible(Self.export([a, a]), "The key of record 2 is named twice", in: daemon)
        try expectImpossible(Self.export([a, b], records: ["c", "b"], done: [0, 1]), "The key of record 9 is", in: daemon)
        try expectImpossible(Self.export([a], records: ["c", "d", "c"], done: [0, 2]), "The key of record 10 is", in: daemon)
        try expectImpossible(Self.export(records: ["c", "d", "c"], done: [0, 2]), "The key of record 3 is", in: daemon)
        #expect(try daemon.connect().sequence() == 0)
        let fine = try daemon.todoctl(
            "import", "-", "--risky", input: Self.export([a, b], records: ["c", "d"], done: [0, 1]))
        #expect(fine.end == .exit(0), "\(fine)")
        #expect(try daemon.connect().sequence() == 9)
    }

    @Test func `an export with a key that the log has for other records is refused`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        #expect(try daemon.todoctl("import", "-", "--risky", input: Self.export(records: ["a"], done: [0])).end == .exit(0))
        try expectImpossible(
            Self.export(records: ["a", "b", "a"], done: [2]), "Record 3 has a key that this log already has for record 1",
            code: 1,
            in: daemon)
        #expect(try daemon.connect().sequence() == 1)
        #expect(
            try daemon.todoctl("import", "-", "--risky", input: Self.export(records: ["a", "b"], done: [0, 1])).end == .exit(0))
    }

    @Test func `keys with more ids than a log may begin with are refused before the ids are allocated`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        // 2^21 ids in a run: its field 1, and one less as further ids.
        let run: [UInt8] = [13, 6, 4, 1, 8, 0xFF, 0xFF, 0x7F]
        let row: [UInt8] = [4, 1, 8, 1] + run
        let names = (1...9).map { "k\($0)" }
        let lines = names.map { name in
            let message: [UInt8] = [4, 1, 9, 2] + name.utf8 + [13, UInt8(row.count)] + row
            let checksum = Checksum.of(message.span.bytes, seed: Checksum.of([UInt8]().span.bytes))
            return message + (0..<8).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
        }
        try expectImpossible(
            Self.export(Self.base(names.map { Self.key($0, upTo: 1) }), keys: lines), "more than 16777216 ids under keys",
            in: daemon)
    }

    @Test func `an export whose keys have more ids than an import accepts is refused with a remedy`() throws {
        let daemon = try Daemon(environment: Daemon.ownLog)
        let ids = Array(1...UInt64(1) << 21)
        let keys = (1...9).map { Self.key("k\($0)", upTo: 2, ids: ids) }
        do {
            let log = try LMDBActionLog.open(directory: daemon.data)
            var flush = Flush(after: log.head)
            try flush.begin(with: Self.base(keys))
            for key in keys { try flush.stage(key.row, key: key.place.key, of: key.place.uid) }
            try log.append(flush)
        }
        try daemon.start()
        let outcome = try daemon.todoctl("export", "-")
        #expect(outcome.end != .exit(0), "\(outcome)")
        #expect(outcome.error.contains("more than 16777216 ids under keys") && outcome.error.contains("--forget-keys"))
    }

    @Test func `a key with more ids or records than any dispatch can have is refused`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let ids = Self.key("k", upTo: 1, ids: Array(1...UInt64(1) << 21 + 1))
        try expectImpossible(Self.export([ids]), "has more ids than a dispatch can assign", in: daemon)
        var row = Self.base([])
        row.base.sequence = 1 << 45
        let long = Key(KeyPlace(uid: 1, key: "k"), KeyRow(first: 1, last: 1 << 45, digest: 0, time: 7))
        row.kept.keys.add(long.row, at: long.place)
        try expectImpossible(
            Self.export(row, keys: [long.exportedBytes]), "a key of compacted records, is damaged or missing", in: daemon)
    }
}

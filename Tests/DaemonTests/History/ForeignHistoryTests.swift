import ChronicleLog
import DiskLog
import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Logs and exports that no todod wrote: their checksums are correct, their numbers are not.
@Suite(.ownThreads) struct ForeignHistoryTests {
    private static let day: Int64 = 86_400_000_000

    /// An export of records with these headers and by default without content.
    private func export(
        _ headers: [RecordHeader], payload: (RecordHeader) -> [UInt8] = { _ in [] }, outbox: [OutboxRow] = []
    ) throws -> [UInt8] {
        let log = InMemoryActionLog()
        var flush = Flush(after: log.head)
        for header in headers { flush.stage(header, payload: payload(header)) }
        try log.append(flush)
        let checksum = String(log.head.checksum, radix: 16)
        var lines = [
            #"{"todod":"export","format":1,"version":"0","store":"s","epoch":1,"first":1,"last":\#(headers.count),"#
                + #""before":"0000000000000000","digest":"0000000000000000","#
                + #""checksum":"\#(String(repeating: "0", count: 16 - checksum.count) + checksum)"}"#
        ]
        for sequence in 1...UInt64(headers.count) {
            lines.append(#"{"bytes":"\#(Data(try log.sealed(sequence).bytes).base64EncodedString())"}"#)
        }
        let rows = outbox.map { #""\#(Data($0.exportedBytes).base64EncodedString())""# }.joined(separator: ",")
        lines.append(#"{"end":\#(headers.count),"outbox":[\#(rows)]}"#)
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    @Test func `an import with an impossible number is refused, and one without it is accepted`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let now = Int64(Date().timeIntervalSince1970 * 1e6)
        func refused(_ what: Comment, _ header: RecordHeader, outbox: [OutboxRow] = []) throws {
            let first = RecordHeader(kind: .hold, sequence: 1, time: min(now, header.time) - 1, step: 1)
            let text = try export(header.sequence == 1 ? [header] : [first, header], outbox: outbox)
            let outcome = try daemon.todoctl("import", "-", "--risky", input: text)
            #expect(outcome.end == .exit(65) && outcome.text.hasPrefix("Impossible."), "\(what): \(outcome)")
        }
        func header(_ change: (inout RecordHeader) -> Void) -> RecordHeader {
            var header = RecordHeader(kind: .hold, sequence: 2, time: now, step: 2)
            change(&header)
            return header
        }
        for time in [Int64.max, Int64.max - 1, now + 2 * Self.day] as [Int64] { try refused("time", header { $0.time = time }) }
        try refused("time", RecordHeader(kind: .hold, sequence: 1, time: -5, step: 1))
        for due in [.min, -1, .max] as [Int64] { try refused("due", header { $0.due = due }) }
        try refused("step", header { $0.step = .max })
        try refused("cause", header { $0.cause = CommandID(sequence: .max, index: .max) })
        try refused("undoes", header { $0.undoes = .max })
        let (id, call) = (CommandID(sequence: 2, index: 0), CommandCall(name: "todos.load"))
        try refused("row", header { _ in }, outbox: [OutboxRow(id: id, call: call, attempts: .max)])
        for due in [.min, .max] as [Int64] {
            try refused("row", header { _ in }, outbox: [OutboxRow(id: id, call: call, due: due)])
        }

        let fine = try export([RecordHeader(kind: .hold, sequence: 1, time: 1, step: 1), header { $0.time += Self.day / 2 }])
        let taken = try daemon.todoctl("import", "-", "--risky", input: fine)
        #expect(taken.end == .exit(0), "\(taken)")
        #expect(try daemon.connect().dispatch([Actions.increment]).sequences == [3])
        #expect(try daemon.stop() == .exit(0))
    }

    @Test func `a bookmark with an invalid name makes an import impossible and does not stop the daemon`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        for count in [65, 100] as [UInt8] {
            // Only the name: field 1, a text.
            let bookmark = [5, count] + Array(repeating: UInt8(ascii: "b"), count: Int(count))
            let text = try export([RecordHeader(kind: .bookmark, sequence: 1, time: 1, step: 1)]) { _ in bookmark }
            let outcome = try daemon.todoctl("import", "-", "--risky", input: text)
            #expect(outcome.end == .exit(65) && outcome.text.hasPrefix("Impossible."), "\(outcome)")
        }
        #expect(try daemon.connect().dispatch([Actions.increment]).sequences == [1])
    }

    @Test func `an import with a bookmark ahead of its record, or with one too many, is impossible`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        func imported(_ count: UInt64, at sequence: UInt8) throws -> Command.Outcome {
            let headers = (1...count).map { RecordHeader(kind: .bookmark, sequence: $0, time: Int64($0), step: $0) }
            // Field 1, the name, and field 2, the sequence that it names.
            let text = try export(headers) { header in
                let name = Array("b\(header.sequence)".utf8)
                return [5, UInt8(name.count)] + name + (sequence > 0 ? [8, sequence] : [])
            }
            return try daemon.todoctl("import", "-", "--risky", input: text)
        }
        let ahead = try imported(1, at: 2)
        #expect(ahead.end == .exit(65) && ahead.text.contains("Impossible. Record 1 names record 2"), "\(ahead)")
        let many = try imported(4_097, at: 0)
        #expect(many.end == .exit(65) && many.text.contains("Impossible. Record 4097 "), "\(many)")
        #expect(try daemon.connect().sequence() == 0)
        #expect(try imported(4_096, at: 0).end == .exit(0))
        #expect(
            try Client.short(daemon.connect().ask("org.todod.History.SetBookmark", ["bookmark": "more"])) == "TooManyBookmarks")
        #expect(try daemon.todoctl("bookmark", "--remove", "b7").end == .exit(0))
        #expect(try daemon.todoctl("bookmark", "more").end == .exit(0))
    }

    @Test func `a dispatch during the check of an import keeps the log, and the import is refused`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let (client, other) = (try daemon.connect(), try daemon.connect())
        let last: Int64 = 60_000
        let text = try export((1...UInt64(last)).map { RecordHeader(kind: .hold, sequence: $0, time: Int64($0), step: $0) })
        var upload: Value = .null
        for start in stride(from: 0, to: text.count, by: 512 << 10) {
            let piece = String(decoding: text[start..<min(start + 512 << 10, text.count)], as: UTF8.self)
            upload = try client.call("org.todod.History.Upload", ["upload": upload, "text": .text(piece)])["upload"] ?? .null
        }
        try client.send("org.todod.History.Import", ["upload": upload, "risky": true], more: true)
        #expect(try client.receive().parameters["verdict"]?.text == nil)
        let refusal = try other.refusal([Actions.increment])
        var answer = try client.receive()
        while answer.error == nil, answer.parameters["verdict"]?.text == nil { answer = try client.receive() }
        // The whole file is checked before its first record is written, so the dispatch comes first unless the machine is
        // suspended.
        if refusal.isEmpty {
            #expect(answer.error == "org.todod.Store.Unreadable", "\(answer)")
            #expect(answer.parameters["message"]?.text?.contains("has another history up to record 1.") == true, "\(answer)")
        } else {
            #expect(refusal == "StoreBusy" && answer.error == nil, "\(refusal) \(answer)")
        }
        let head = try other.sequence()
        #expect(head == (refusal.isEmpty ? 1 : last))
        #expect(try other.dispatch([Actions.increment]).sequences == [head + 1])
    }

    @Test(arguments: [Int64.max - 1, .max, -1])
    func `a log with an extreme time is served, written to and read, and again after a restart`(time: Int64) throws {
        let daemon = try Daemon()
        do {
            let log = try LMDBActionLog.open(directory: daemon.data)
            var flush = Flush(after: log.head)
            flush.stage(RecordHeader(kind: .hold, sequence: 1, time: time, step: 1), payload: [])
            flush.headChange.heldThrough = 1
            try log.append(flush)
        }
        for start in 0..<2 as Range<Int64> {
            try daemon.start()
            let client = try daemon.connect()
            #expect(
                try client.dispatch([Actions.increment, Actions.add("Milk")], key: "\(start)").sequences.first == 2 + 2 * start)
            for verb in ["log", "log --json", "status", "verify", "list --at 1", "why 2", "show 1"] {
                let outcome = try Command.run(
                    [Products.todoctl] + verb.split(separator: " ").map(String.init),
                    environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
                #expect(outcome.end == .exit(0), "\(verb): \(outcome)")
            }
            #expect(try daemon.stop() == .exit(0))
        }
    }

    @Test func `on request a compaction forgets keys that are older than some days before the last record`() throws {
        let daemon = try Daemon(environment: Daemon.ownLog)
        let last: Int64 = 1_600_000_000_000_000
        do {
            let log = try LMDBActionLog.open(directory: daemon.data)
            for (index, age) in [100, 10, 0].enumerated() {
                var flush = Flush(after: log.head)
                let (sequence, key) = (UInt64(index + 1), "key \(age)")
                let header = RecordHeader(
                    kind: .hold, sequence: sequence, time: last - Int64(age) * Self.day, origin: getuid(), step: sequence,
                    key: key)
                flush.stage(header, payload: [])
                try flush.stage(KeyRow(first: sequence, last: sequence, digest: 1, time: header.time), key: key, of: getuid())
                try log.append(flush)
            }
        }
        try daemon.start()
        let client = try daemon.connect()
        func isKnown(_ key: String) throws -> Bool {
            let answer = try client.ask("org.todod.Store.Dispatch", Client.dispatch([Actions.increment], key: key))
            return answer.error == "org.todod.Store.KeyReused"
        }
        #expect(try client.call("org.todod.History.Compact", ["before": ["sequence": 2]])["keysForgotten"] == nil)
        #expect(try isKnown("key 100"))
        let compacted = try client.call("org.todod.History.Compact", ["before": ["sequence": 3], "forgetKeysDays": 90])
        #expect(compacted["base"] == 3 && compacted["keysForgotten"] == 1)
        #expect(try isKnown("key 10"))
        #expect(try !isKnown("key 100"))
    }
}

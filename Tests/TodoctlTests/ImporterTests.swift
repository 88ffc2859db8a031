import ArgumentParser
import Foundation
import Testing
import TodoAPI
import Varlink

@testable import todoctl

@Suite struct ImporterTests {
    /// Runs `body` with the reading end of a pipe that holds `bytes`.
    func withInput<Result>(_ bytes: [UInt8], _ body: (Int32) throws -> Result) rethrows -> Result {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        #expect(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        defer { close(ends[0]) }
        return try body(ends[0])
    }

    func lines(_ text: [UInt8]) throws -> [String] {
        try withInput(text) { input in
            var lines = Lines(descriptor: input)
            var texts: [String] = []
            while let line = try lines.next() { texts.append("\(line.number) \(line.text ?? "?")") }
            return texts
        }
    }

    @Test func `lines end in line feeds, the last one may not`() throws {
        #expect(try lines([]) == [])
        #expect(try lines(Array("a\n".utf8)) == ["1 a"])
        #expect(try lines(Array("a\n\nb\r\nc".utf8)) == ["1 a", "2 ", "3 b", "4 c"])
        #expect(try lines([0x61, 0x0A, 0xFF, 0x0A, 0x62]) == ["1 a", "2 ?", "3 b"])
        let long = String(repeating: "x", count: 40_000)
        #expect(try lines(Array("\(long)\nb".utf8)) == ["1 \(long)", "2 b"])
    }

    @Test func `a refused line is left out and the rest of its batch is sent again with another key`() throws {
        let refusal = #"{"error":"org.todod.Store.TitleTooShort","parameters":{"message":"too short","action":1}}"#
        let done = #"{"parameters":{"epoch":1,"sequences":[1,2],"ids":[1,2],"duplicate":false,"presentations":[]}}"#
        let daemon = try FakeDaemon([[.answer([refusal]), .answer([done])]])
        let session = try Session(try Options.parse(["--json"]), SocketSearch { daemon.path }, patience: 0)
        let failure = withInput(Array("Buy the milk\n\nab\nTake my dog\n".utf8)) { input in
            #expect(throws: Failure.self) {
                try Importer(session: session, draft: .init(title: "", priority: 1), input: input).run()
            }
        }
        #expect(failure?.code == .refused)
        let calls = daemon.received
        #expect(calls.count == 2)
        #expect(calls.map { $0.parameters["actions"]?.list?.count } == [3, 2])
        #expect(calls[0].parameters["key"] != calls[1].parameters["key"])
        #expect(
            calls[1].parameters["actions"]?.description
                == #"[{"todos":{"add":{"items":[{"title":"Buy the milk","priority":1}]}}},{"todos":{"add":{"items":[{"title":"Take my dog","priority":1}]}}}]"#
        )
    }

    @Test func `many lines go in batches of a thousand`() throws {
        let done = #"{"parameters":{"epoch":1,"sequences":[],"ids":[],"duplicate":false,"presentations":[]}}"#
        let daemon = try FakeDaemon([Array(repeating: .answer([done]), count: 3)])
        let session = try Session(try Options.parse(["--json"]), SocketSearch { daemon.path }, patience: 0)
        let text = (1...2500).map { "todo \($0)\n" }.joined()
        try withInput(Array(text.utf8)) { input in
            try Importer(session: session, draft: .init(title: ""), input: input).run()
        }
        #expect(daemon.received.map { $0.parameters["actions"]?.list?.count } == [1000, 1000, 500])
    }
}

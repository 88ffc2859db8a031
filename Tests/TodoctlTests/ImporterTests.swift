import ArgumentParser
import Foundation
import Testing
import TodoAPI
import Varlink

@testable import todoctl

@Suite struct ImporterTests {
    /// Runs `body` with the reading end of a pipe that contains `bytes`.
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

    @Test func `lines end in line feeds, which the last line may omit`() throws {
        #expect(try lines([]) == [])
        #expect(try lines(Array("a\n".utf8)) == ["1 a"])
        #expect(try lines(Array("a\n\nb\r\nc".utf8)) == ["1 a", "2 ", "3 b", "4 c"])
        #expect(try lines([0x61, 0x0A, 0xFF, 0x0A, 0x62]) == ["1 a", "2 ?", "3 b"])
        let long = String(repeating: "x", count: 40_000)
        #expect(try lines(Array("\(long)\nb".utf8)) == ["1 \(long)", "2 b"])
    }

    private static let done = #"{"parameters":{"epoch":1,"sequences":[1,2],"ids":[1,2],"duplicate":false,"presentations":[]}}"#

    private func add(_ text: String, to daemon: FakeDaemon, priority: Int? = nil) throws {
        let session = try Session(try Options.parse(["--json"]), SocketSearch { daemon.path }, patience: 0)
        try withInput(Array(text.utf8)) { input in
            try Importer(session: session, input: input) { line, _ throws(Failure) in
                guard line != "unreadable" else { throw Failure(.usage, "This can't be read.") }
                return TodoDraft(title: line, priority: priority)
            }.run()
        }
    }

    @Test func `a refused line is named, later lines are checked as well, and nothing is added`() throws {
        let refusal = #"{"error":"org.todod.feature.Todos.TitleTooShort","parameters":{"message":"too short","action":1}}"#
        let daemon = try FakeDaemon([[.answer([refusal]), .answer([Self.done])]])
        let failure = #expect(throws: Failure.self) { try add("Buy the milk\n\nab\nTake my dog\n", to: daemon, priority: 1) }
        #expect(failure?.code == .refused && failure?.message == "1 line is refused, so nothing was added.")
        let calls = daemon.received
        #expect(calls.map { $0.parameters["actions"]?.list?.count } == [3, 1])
        #expect(calls.allSatisfy { $0.parameters["dryRun"]?.bool == true && $0.parameters["key"] == nil })
        #expect(
            calls.last?.parameters["actions"]?.description
                == #"[{"todos":{"add":{"items":[{"title":"Take my dog","priority":1}]}}}]"#)
    }

    @Test func `if a line can't be parsed, the others are still checked but not added`() throws {
        let daemon = try FakeDaemon([[.answer([Self.done])]])
        let failure = #expect(throws: Failure.self) { try add("Buy the milk\nunreadable\nTake my dog\n", to: daemon) }
        #expect(failure?.code == .refused)
        #expect(daemon.received.map { $0.parameters["actions"]?.list?.count } == [2])
    }

    @Test func `a dry run whose answer is too large is split in halves`() throws {
        let tooLarge = #"{"error":"org.todod.Store.AnswerTooLarge","parameters":{"message":"too large"}}"#
        let daemon = try FakeDaemon([[.answer([tooLarge]), .answer([tooLarge]), .answer([Self.done]), .answer([Self.done])]])
        try add("Buy the milk\nTake my dog\nCall\n", to: daemon)
        #expect(daemon.received.map { $0.parameters["actions"]?.list?.count } == [3, 1, 2, 3])
        #expect(daemon.received.map { $0.parameters["key"] == nil } == [true, true, true, false])
    }

    @Test func `many lines are checked in parts and added in batches of a thousand that form one step`() throws {
        let daemon = try FakeDaemon([Array(repeating: .answer([Self.done]), count: 13)])
        try add((1...2500).map { "todo \($0)\n" }.joined(), to: daemon)
        let calls = daemon.received
        #expect(calls.map { $0.parameters["actions"]?.list?.count } == Array(repeating: 250, count: 10) + [1000, 1000, 500])
        #expect(calls.suffix(3).map { $0.parameters["step"]?.int } == [nil, 1, 1])
        #expect(Set(calls.suffix(3).compactMap { $0.parameters["key"]?.text }).count == 3)
    }
}

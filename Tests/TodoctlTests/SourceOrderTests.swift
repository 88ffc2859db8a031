import Chronicle
import Dates
import Testing
import TodoAPI

@testable import todoctl

@Suite struct SourceOrderTests {
    private func end(_ action: Value?, outcome: String = "result", reason: String? = nil) -> RecordMessage {
        RecordMessage(
            sequence: 2, time: 0, kind: "end", origin: 7, step: 1, cause: CommandID(sequence: 1, index: 0), outcome: outcome,
            reason: reason, build: 1, action: action, commands: [])
    }

    private func loaded(_ titles: [String]) -> RecordMessage {
        end(FeatureAction.make("todos", "loaded", ["items": .list(titles.map { ["title": .text($0)] })]))
    }

    private func open(
        stage: String = "waiting", attempts: UInt32 = 0, due: Int64? = nil, reason: String? = nil, held: Bool = false
    ) -> OpenCommandMessage {
        OpenCommandMessage(
            id: CommandID(sequence: 1, index: 0), name: "todos.load", version: 1, stage: stage, attempts: attempts, due: due,
            reason: reason, held: held, depth: 0, step: 1, origin: 7)
    }

    @Test func `the loaded items are one sentence, and only the first of many are named`() {
        #expect(SourceOrder.load.success(loaded(["Milk", "D\u{1B}og"])) == "Loaded 2 todos: Milk, D\\u{1b}og.")
        #expect(SourceOrder.load.success(loaded(["Milk"])) == "Loaded 1 todo: Milk.")
        #expect(SourceOrder.load.success(loaded([])) == "Nothing new: the list has all of them already.")
        let many = SourceOrder.load.success(loaded((1...1_010).map { "N\($0)" }))
        #expect(many == "Loaded 1,010 todos: N1, N2, N3, N4, N5, N6, N7, N8, N9, N10 and 1,000 more.")
        let page: Value = ["items": [[:], [:]], "nextPage": 3]
        #expect(SourceOrder.fetch.success(end(FeatureAction.make("posts", "set", page))) == "Fetched 2 posts.")
        #expect(SourceOrder.more.success(end(FeatureAction.make("posts", "append", page))) == "Fetched 2 more posts.")
        let list: Value = ["language": "C++", "items": [[:]]]
        #expect(SourceOrder.reload.success(end(FeatureAction.make("repositories", "loaded", list))) == "1 repository for C++.")
        #expect(SourceOrder.reload.success(end(nil)).contains("no longer needed"))
    }

    @Test func `the reason of a failed load comes from the event, otherwise from the command's end`() {
        #expect(SourceOrder.load.failure(loaded([])) == nil)
        let fact = FeatureAction.make("todos", "loadFailed", ["reason": "no net"])
        let failure = SourceOrder.load.failure(end(fact, outcome: "failed", reason: "what?"))
        #expect(failure == Failure(.refused, "The todos could not be loaded: no net"))
        #expect(SourceOrder.fetch.failure(end(nil, outcome: "failed", reason: "no net"))?.message.hasSuffix(": no net") == true)
        #expect(SourceOrder.load.failure(open()) == nil)
        let parked = SourceOrder.load.failure(open(stage: "parked", reason: "It loops."))
        #expect(parked?.message.contains("so far: It loops.\nTo try it again: todoctl commands retry 1.0.") == true)
    }

    @Test func `the reason why a command waits is reported, and a running command is not`() {
        let zone = Zone { _ in 0 }
        #expect(CommandNotice.text(open(held: true), waited: 0, zone: zone) == CommandNotice.held)
        #expect(CommandNotice.text(open(), waited: 10_000, zone: zone) == nil)
        #expect(CommandNotice.text(open(), waited: 2_000_000, zone: zone)?.contains("todoctl commands") == true)
        #expect(CommandNotice.text(open(stage: "started", attempts: 1), waited: 9_000_000, zone: zone) == nil)
        #expect(CommandNotice.text(open(due: 0), waited: 2_000_000, zone: zone) == nil)
        let again = CommandNotice.text(open(attempts: 2, due: 0, reason: "no net"), waited: 0, zone: zone)
        #expect(again == "Attempt 2 failed, the next one is at 1970-01-01 00:00:00: no net")
    }
}

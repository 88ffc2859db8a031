import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Recurring todos in todoctl.
@Suite(.ownThreads) struct RecurringTests {
    private func items(_ client: Client) throws -> [Value] { try client.state("todos.items")["todos"]?["items"]?.list ?? [] }

    @Test func `completing a recurring todo adds the next one, and one undo reverts both`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let added = try daemon.todoctl("add", "Water the plants", "--due", "2026-11-20", "--every", "monday", "--tag", "home")
        let said = try #require(added.lines.first)
        #expect(said.hasPrefix("Added 1: Water the plants ("), "\(added)")
        #expect(said.hasSuffix("due Friday 20 November 2026, every monday, #home)"), "\(added)")
        #expect(try daemon.todoctl("add", "Buy the milk").end == .exit(0))
        #expect(try daemon.todoctl("show", "is:recurring").lines.contains("  recurs     every monday"))
        let before = try items(client)

        let done = try daemon.todoctl("done", "1", "2")
        #expect(Array(done.lines.prefix(2)) == ["Done 1: Water the plants", "Done 2: Buy the milk"], "\(done)")
        #expect(done.lines.count == 3 && done.lines[2].hasPrefix("Next 3: Water the plants (due Monday "), "\(done)")
        let after = try items(client)
        #expect(after.map { $0["id"] } == [3, 2, 1])
        #expect(after[0]["every"] == "every monday" && after[0]["tags"] == ["home"] && after[2]["every"] == nil)
        #expect(try daemon.todoctl("done", "1").lines == ["1 was done already: Water the plants"])

        let undone = try daemon.todoctl("undo").lines
        #expect(undone.first == "Undone: done 1, 2" && undone.count == 3, "\(undone)")
        #expect(
            undone.contains("  1: Water the plants is open again; 3: Water the plants (the next one) is gone"), "\(undone)")
        #expect(try items(client) == before)
        #expect(try daemon.todoctl("redo").end == .exit(0))
        #expect(try items(client) == after)
        try daemon.crash()
        #expect(try items(daemon.connect()) == after)
    }

    @Test func `a rule among the words is reported, edited and removed`() throws {
        let daemon = try Daemon.started()
        let added = try daemon.todoctl("add", "Call", "mum", "every", "sunday", "18:30")
        #expect(added.lines.first?.hasPrefix("Added 1: Call mum (due Sunday ") == true, "\(added)")
        #expect(added.lines.first?.hasSuffix(" 18:30, every sunday)") == true, "\(added)")
        #expect(try daemon.todoctl("edit", "1", "--every", "2 weeks").lines == ["1: recurs every sunday → every 2 weeks"])
        #expect(try daemon.todoctl("edit", "1", "--every", "none").lines == ["1: recurs every 2 weeks → never"])
        let refused = try daemon.todoctl("edit", "1", "--every", "soon")
        #expect(refused.end == .exit(64) && refused.error.contains("every last day of the month"), "\(refused)")
        #expect(try daemon.connect().refusal([["todos": ["edit": ["id": 1, "every": "soon"]]]]) == "BadRecurrence")
        let plain = try daemon.todoctl("add", "--plain", "Sing", "every", "day")
        #expect(plain.lines == ["Added 2: Sing every day"])
        let stored = try items(daemon.connect())
        #expect(stored.allSatisfy { $0["every"] == nil })
    }

    @Test func `completing a hundred recurring todos is one step that adds the next one of each`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let item: Value = ["title": "Sweep the floor", "due": "2026-11-20", "every": "every day", "tags": ["home"]]
        try client.dispatch([["todos": ["add": ["items": .list(Array(repeating: item, count: 100))]]]])
        let done = try daemon.todoctl("done", "+home", "--yes")
        #expect(done.end == .exit(0) && done.lines.last == "Next: 100 todos.", "\(done)")
        let after = try items(client)
        #expect(after.count == 200)
        #expect(after.filter { $0["every"] == "every day" }.map { $0["completed"] } == Array(repeating: nil, count: 100))
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try items(client).count == 100)
    }
}

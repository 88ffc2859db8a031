import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct FilterTests {
    private func add(_ title: String, tags: [String] = [], due: String = "") -> Value {
        var item: [Value.Field] = [.init("title", .text(title)), .init("tags", .list(tags.map { .text($0) }))]
        if !due.isEmpty { item.append(.init("due", .text(due))) }
        return ["todos": ["add": ["items": [.record(item)]]]]
    }

    /// A daemon with four todos, the last one done.
    private func begun() throws -> (Daemon, Client) {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([
            add("Call the bank", tags: ["work"], due: "2020-01-01"), add("Buy the milk", tags: ["home"]),
            add("Write report", tags: ["work"]),
            add("Old bank", tags: ["work"]),
        ])
        try client.dispatch([Actions.complete(4)])
        return (daemon, client)
    }

    private func items(_ client: Client) throws -> [Value] { try client.state("todos.items")["todos"]?["items"]?.list ?? [] }

    @Test func `todos are listed and shown by a filter`() throws {
        let (daemon, _) = try begun()
        func listed(_ words: String...) throws -> [String] {
            let listed = try Command.run(
                [Products.todoctl, "list"] + words, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket],
                input: [],
                seconds: 120)
            // If nothing matches, a message says so.
            let rows = listed.lines.dropFirst().filter { !$0.hasPrefix("No ") }
            return rows.map { String($0.drop { $0 == " " }.prefix { $0 != " " }) }
        }
        #expect(try listed("bank") == ["1"])
        #expect(try listed("bank", "--all") == ["4", "1"])
        #expect(try listed("+work") == ["3", "1"])
        #expect(try listed("-work") == ["2"])
        #expect(try listed("+work", "due<friday") == ["1"])
        #expect(try listed("is:overdue") == ["1"])
        #expect(try listed("is:done") == ["4"])
        #expect(try listed("2-4") == ["4", "3", "2"])
        #expect(try listed("(milk or report) -home") == ["3"])
        #expect(try listed("due:none", "--limit", "1") == ["3"])
        #expect(try listed("--at", "4", "is:done") == [])
        #expect(try listed("--at", "4", "+work") == ["4", "3", "1"])
        let shown = try daemon.todoctl("show", "+work", "is:open")
        #expect(shown.lines.filter { $0.contains(": ") } == ["3: Write report", "1: Call the bank"])
        let none = try daemon.todoctl("show", "nowhere")
        #expect(none.end == .exit(1) && none.error.contains("No todo matches “nowhere”."), "\(none)")
        #expect(try daemon.todoctl("list", "due<someday").end == .exit(64))
        #expect(try daemon.todoctl("add", "Paint the fence", "--wait-until", "2099-12-01").end == .exit(0))
        for verb in ["show", "done", "remove"] {
            let hidden = try daemon.todoctl(verb, "paint", "the fence")
            #expect(
                hidden.end == .exit(1)
                    && hidden.error == """
                        todoctl: No todo matches “paint the fence”, except 1 that waits.
                        To see them: todoctl list is:waiting paint 'the fence'

                        """,
                "\(hidden)")
        }
    }

    @Test func `an unknown id is reported beside the todos that are listed`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk"), Actions.add("Take my dog"), Actions.complete(2)])
        let listed = try daemon.todoctl("list", "1,999", "998")
        #expect(listed.end == .exit(0) && listed.lines == ["1 of 2 todos", "1 [ ] Buy the milk"], "\(listed)")
        #expect(listed.error == "There is no todo 998.\nThere is no todo 999.\n")
        // So is the id of a todo that another option excludes.
        #expect(try daemon.todoctl("list", "1,2", "--done").error.isEmpty)
        #expect(try daemon.todoctl("list", "1,2", "--at", "1").error.contains("There was no todo 2 at that moment.\n"))
        #expect(try !daemon.todoctl("list", "1,2", "--at", "2").error.contains("no todo"))
        #expect(try daemon.todoctl("list", "1-9").error.isEmpty)
    }

    @Test func `waiting todos are not listed before their time and are found on request`() throws {
        let (daemon, client) = try begun()
        func ids(_ arguments: String...) throws -> [String] {
            let lines = try Command.run(
                [Products.todoctl] + arguments, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket],
                seconds: 120
            ).lines
            return lines.dropFirst().map { String($0.drop { $0 == " " }.prefix { $0 != " " }) }
        }
        let edited = try daemon.todoctl("edit", "1", "2", "--wait-until", "2999-01-01")
        #expect(edited.lines == [1, 2].map { "\($0): waits until none → Tue 1 Jan 2999" }, "\(edited)")
        #expect(try ids("list") == ["3"])
        #expect(try ids("list", "+work") == ["3"])
        #expect(try ids("list", "is:waiting") == ["2", "1"])
        #expect(try ids("list", "wait>today", "+home") == ["2"])
        #expect(try ids("list", "1", "3") == ["3", "1"])
        #expect(try ids("list", "--all") == ["4", "3", "2", "1"])
        #expect(try ids("list", "--at", "5") == ["3", "2", "1"])
        #expect(try ids("agenda").isEmpty)
        #expect(try daemon.todoctl("list").lines.first == "1 of 4 todos")
        #expect(try daemon.todoctl("show", "2").text.contains("  waits      until Tuesday 1 January 2999"))
        #expect(try daemon.todoctl("edit", "2", "--no-wait-until").lines == ["2: waits until Tue 1 Jan 2999 → none"])
        #expect(try ids("list") == ["3", "2"])
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try ids("list") == ["3"])
        #expect(try items(client).filter { $0["wait"] == "2999-01-01" }.count == 2)
        let over: Value = ["title": "Do the taxes", "wait": "2020-03-01"]
        try client.dispatch([["todos": ["add": ["items": [over]]]]])
        #expect(try ids("list") == ["5", "3"])
    }

    @Test func `a dependency cycle is refused, and dependents of a todo are found`() throws {
        let (daemon, client) = try begun()
        #expect(try daemon.todoctl("edit", "2", "--after", "1").end == .exit(0))
        #expect(try daemon.todoctl("edit", "3", "--after", "2", "--due", "today").end == .exit(0))
        let before = try client.sequence()
        let ring = try daemon.todoctl("edit", "1", "--after", "3")
        #expect(ring.end == .exit(1) && ring.error.contains("1 after 3 after 2 after 1"), "\(ring)")
        #expect(try client.refusal([["todos": ["edit": ["id": 1, "after": [2]]]]]) == "DependencyRing")
        #expect(try client.sequence() == before)
        let behind = try daemon.todoctl("list", "after:2").lines
        #expect(behind.count == 2 && behind.last?.contains("blocked by 2") == true, "\(behind)")
        #expect(try daemon.todoctl("list", "after:1,2").lines.count == 3)
        #expect(try daemon.todoctl("agenda", "after:2").text.contains("blocked by 2"))
    }

    @Test func `blocked todos are found among ten thousand`() throws {
        let directory = TemporaryDirectory()
        // Of each three todos the first is open, the second done, and the third depends on both.
        let items = (1...10_002).map { id in
            let completed = id % 3 == 2 ? #","completed":1"# : ""
            let after = id % 3 == 0 ? #","after":[\#(id - 2),\#(id - 1)]"# : ""
            return #"{"id":\#(id),"title":"Todo number \#(id)","created":\#(id)\#(completed)\#(after)}"#
        }
        let state = try directory.write(#"{"todos":{"items":[\#(items.joined(separator: ","))]}}"#, to: "state.json")
        let daemon = try Daemon.started(flags: ["--ephemeral", "--state", state])
        #expect(try daemon.todoctl("list", "is:blocked").lines.first == "3,334 of 10,002 todos")
        #expect(try daemon.todoctl("list", "is:blocked", "or", "is:done").lines.first == "6,668 of 10,002 todos")
        #expect(try daemon.todoctl("list", "not", "is:blocked").lines.first == "6,668 of 10,002 todos")
        #expect(try daemon.todoctl("done", "1-300", "--yes").end == .exit(0))
        #expect(try daemon.todoctl("list", "is:blocked").lines.first == "3,234 of 10,002 todos")
    }

    @Test func `a todo is blocked until the open todos that it depends on are done or removed`() throws {
        let (daemon, client) = try begun()
        func blocked() throws -> [String] {
            try daemon.todoctl("list", "is:blocked").lines.dropFirst().map { String($0) }
        }
        #expect(try blocked() == ["No todo matches “is:blocked”."])
        let edited = try daemon.todoctl("edit", "3", "--after", "1,2,4")
        #expect(edited.lines == ["3: after none → 1, 2, 4"], "\(edited)")
        #expect(try blocked().map { $0.contains("  blocked by 1, 2 #work") } == [true])
        let shown = try daemon.todoctl("show", "3").lines
        #expect(shown.contains("  after      1: Call the bank (open)"), "\(shown)")
        #expect(shown.contains("             4: Old bank (done)"), "\(shown)")
        #expect(try daemon.todoctl("done", "1").end == .exit(0))
        #expect(try blocked().map { $0.contains("  blocked by 2 #work") } == [true])
        #expect(try daemon.todoctl("remove", "2").end == .exit(0))
        #expect(try blocked() == ["No todo matches “is:blocked”."])
        #expect(try daemon.todoctl("list", "is:blocked", "--at", "6").lines.count == 2)
        #expect(try daemon.todoctl("show", "3").lines.contains("             2 (removed)"))
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try blocked().count == 1)
        #expect(try daemon.todoctl("edit", "3", "--after", "77").error.contains("never was a todo 77"))
        #expect(try daemon.todoctl("edit", "3", "--after", "3").error.contains("after itself"))
        let added = try daemon.todoctl("add", "File", "the", "report", "after:3")
        #expect(added.lines == ["Added 5: File the report (after 3)"], "\(added)")
        #expect(try blocked().count == 2)
        #expect(try daemon.todoctl("edit", "3", "--no-after").lines == ["3: after 1, 2, 4 → none"])
        #expect(try items(client).compactMap { $0["after"] } == [[3]])
    }

    @Test func `the most urgent todo is listed first with the reason`() throws {
        let (daemon, _) = try begun()
        #expect(try daemon.todoctl("edit", "2", "--priority", "high", "--tag", "next").end == .exit(0))
        let listed = try daemon.todoctl("list", "--sort", "urgency", "--limit", "2").lines.dropFirst()
        #expect(listed.map { $0.contains("Buy the milk") } == [true, false] && listed.last?.contains("Call the bank") == true)
        #expect(
            try daemon.todoctl("why-first", "2").lines == [
                "2: Buy the milk", "  priority        6.00 of   6.00  high", "  tag next       15.00 of  15.00",
                "  urgency        21.00",
            ])
        #expect(try daemon.todoctl("why-first", "4").lines.last == "  done            0.00")
        let json = try Value(parsing: daemon.todoctl("why-first", "2", "--json").text)
        #expect(json["hundredths"] == 2_100 && json["parts"]?.list?.count == 7, "\(json)")
        #expect(try daemon.todoctl("why-first", "77").error.contains("There is no todo 77."))
    }

    @Test func `the todos of a filter are shown, confirmed and changed as one step`() throws {
        let (daemon, client) = try begun()
        let tried = try daemon.todoctl("done", "+work", "--dry-run")
        #expect(tried.lines.first == "2 todos would be done:" && tried.lines.count == 3, "\(tried)")
        let asked = try daemon.todoctl("done", "+work")
        #expect(asked.end == .exit(64) && asked.error.contains("--yes"), "\(asked)")
        #expect(try items(client).filter { $0["completed"] != nil }.count == 1)
        let done = try daemon.todoctl("done", "+work", "--yes").lines.suffix(2)
        #expect(done == ["Done 3: Write report", "Done 1: Call the bank"])
        #expect(try items(client).filter { $0["completed"] != nil }.count == 3)
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try items(client).filter { $0["completed"] != nil }.count == 1)
        // A single todo needs no confirmation, and ids need none.
        #expect(try daemon.todoctl("remove", "milk").lines == ["Removed 2: Buy the milk"])
        #expect(try daemon.todoctl("done", "1", "3").lines == ["Done 1: Call the bank", "Done 3: Write report"])
        let reopened = try daemon.todoctl("reopen", "bank", "--yes").lines.suffix(2)
        #expect(reopened == ["Reopened 4: Old bank", "Reopened 1: Call the bank"])
        #expect(try daemon.todoctl("remove", "3-4", "--yes").end == .exit(0))
        #expect(try items(client).compactMap { $0["id"]?.int } == [1])
    }

    @Test func `several todos are edited and moved as one step`() throws {
        let (daemon, client) = try begun()
        #expect(try daemon.todoctl("edit", "1", "2", "3", "--due", "2030-01-01").end == .exit(0))
        #expect(try items(client).filter { $0["due"] == "2030-01-01" }.count == 3)
        #expect(try items(client).filter { $0["title"] == "2 3" }.isEmpty)
        #expect(try daemon.todoctl("edit", "+work", "is:open", "--tag", "urgent", "--untag", "work", "--yes").end == .exit(0))
        #expect(try items(client).filter { $0["tags"] == ["urgent"] }.compactMap { $0["id"]?.int } == [3, 1])
        #expect(try daemon.todoctl("edit", "1", "3", "--title", "Both").end == .exit(64))
        #expect(try daemon.todoctl("edit", "1", "--", "Call", "them").end == .exit(0))
        #expect(try items(client).last?["title"] == "Call them")
        #expect(try daemon.todoctl("edit", "1", "77", "--tag", "a").error.contains("There is no todo 77."))
        #expect(try daemon.todoctl("move", "1", "3", "--to", "2").end == .exit(0))
        #expect(try items(client).compactMap { $0["id"]?.int } == [4, 1, 3, 2])
        #expect(try daemon.todoctl("move", "+urgent", "--bottom", "--yes").end == .exit(0))
        #expect(try items(client).compactMap { $0["id"]?.int } == [4, 2, 1, 3])
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try items(client).compactMap { $0["id"]?.int } == [4, 1, 3, 2])
    }
}

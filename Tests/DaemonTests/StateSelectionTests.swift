import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct StateSelectionTests {
    static let method = "org.todod.Store.GetState"

    private func add(_ title: String, tags: [String] = [], priority: Int64 = 0) -> Value {
        let item: Value = ["title": .text(title), "tags": .list(tags.map { .text($0) }), "priority": .int(priority)]
        return ["todos": ["add": ["items": [item]]]]
    }

    private func ids(_ state: Value) -> [Int64] { (state["todos"]?["items"]?.list ?? []).compactMap { $0["id"]?.int } }

    @Test func `one element is selected by its id, now and in the past`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([add("Buy the milk"), add("Take my dog")])
        try client.dispatch([Actions.complete(1)])
        for more in [false, true] {
            let reply = try client.ask(Self.method, ["scope": "todos.items", "id": 1], more: more)
            #expect(!reply.continues && reply.parameters["count"] == 2 && reply.parameters["sequence"] == 3, "\(reply)")
            let items = reply.parameters["state"]?["todos"]?["items"]?.list ?? []
            #expect(items.map { $0["title"] } == ["Buy the milk"] && items[0]["completed"] != nil)
        }
        let past = try client.call(Self.method, ["scope": "todos.items", "id": 1, "at": ["sequence": 2]])
        #expect(past["sequence"] == 2 && past["state"]?["todos"]?["items"]?.list?[0]["completed"] == nil, "\(past)")
        let before = try client.ask(Self.method, ["scope": "todos.items", "id": 2, "at": ["sequence": 1]])
        #expect(Client.short(before) == "UnknownID" && before.parameters["id"] == 2, "\(before)")
    }

    @Test func `clients that do not read their selections do not block other queries`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let todo: Value = ["title": "Buy the milk", "note": .text(String(repeating: "n", count: 4_000))]
        let add: Value = ["todos": ["add": ["items": .list(Array(repeating: todo, count: 200))]]]
        for _ in 0..<3 { try client.dispatch([add]) }
        // More of each kind than the limit per user, each with more data than is buffered.
        var idle: [Client] = []
        for condition in [nil, "id > 0"] as [String?] {
            for _ in 0..<20 {
                var selection: Value = ["scope": "todos.items", "limit": 600]
                if let condition { selection = ["scope": "todos.items", "where": .text(condition)] }
                let reader = try daemon.connect()
                try reader.send(Self.method, selection, more: true)
                // The first page has arrived, so the query has begun.
                _ = try reader.receiveFrame()
                idle.append(reader)
            }
        }
        #expect(try client.call(Self.method, ["scope": "counter"])["sequence"] == 3)
        #expect(try client.call(Self.method, ["scope": "todos.items", "where": "id == 7"])["count"] == 600)
        withExtendedLifetime(idle) {}
    }

    @Test func `elements are selected by a condition and a number`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for numbers: ClosedRange<Int64> in [1...750, 751...1_500] {
            try client.dispatch(numbers.map { add("Number \($0)", tags: $0 % 3 == 0 ? ["third"] : [], priority: $0 % 4) })
        }
        try client.dispatch([Actions.complete(3), Actions.complete(6)])
        func found(_ parameters: Value) throws -> [Int64] {
            let pages = try client.stream(Self.method, parameters)
            #expect(pages.allSatisfy { $0["count"] == 1_500 && $0["sequence"] == 1_502 })
            #expect(pages.allSatisfy { ids($0["state"] ?? .null).count <= 1_024 })
            return pages.flatMap { ids($0["state"] ?? .null) }
        }
        let all = try ids(client.state("todos.items"))
        #expect(try found(["scope": "todos.items", "where": "title"]) == all)
        let third = #"any(tag in tags: tag == "third") and not completed"#
        #expect(try found(["scope": "todos.items", "where": .text(third)]) == all.filter { $0 % 3 == 0 && $0 > 6 })
        #expect(
            try found(["scope": "todos.items", "where": "priority >= 2", "limit": 7])
                == Array(all.filter { $0 % 4 >= 2 }.prefix(7)))
        #expect(try found(["scope": "todos.items", "limit": 1_100]) == Array(all.prefix(1_100)))
        #expect(try found(["scope": "todos.items", "limit": 0]) == [])
        #expect(try found(["scope": "todos.items", "where": "id == 1501"]) == [])
        let once = try client.call(Self.method, ["scope": "todos.items", "where": "id == 5"])
        #expect(ids(once["state"] ?? .null) == [5])
    }

    @Test func `a uid with the maximum number of searches can't begin another one in a list or in the log`() throws {
        let daemon = try Daemon.started()
        let searches = try Searches(daemon)
        let client = try daemon.connect()
        func ending(_ method: String, _ parameters: Value) throws -> String {
            try client.send(method, parameters, more: true)
            while true {
                let reply = try client.receive()
                if !reply.continues { return Client.short(reply) }
            }
        }
        let log = "org.todod.History.Log"
        #expect(try ending(Self.method, ["scope": "todos.items", "where": "id == 5"]) == "QueryBusy")
        #expect(try ending(log, ["search": "nowhere"]) == "QueryBusy")
        #expect(try ending(log, ["action": "todos.complete"]) == "QueryBusy")
        #expect(try ending(log, ["runs": true]) == "QueryBusy")
        // Reading without a condition is not a search.
        #expect(try ending(Self.method, ["scope": "todos.items", "limit": 600]) != "QueryBusy")
        #expect(try ending(log, ["from": ["back": 300]]) != "QueryBusy")
        #expect(try searches.areFull)
        searches.end()
    }

    @Test func `an invalid selection is refused with a reason`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([add("Buy the milk")])
        func error(_ parameters: Value) throws -> String {
            let reply = try client.ask(Self.method, parameters)
            return Client.short(reply) + (reply.parameters["parameter"]?.text.map { " " + $0 } ?? "")
        }
        #expect(try error(["scope": "todos.items", "id": 9]) == "UnknownID")
        #expect(try error(["scope": "alerts.items", "id": 9]) == "UnknownID")
        #expect(try error(["scope": "todos", "id": 1]) == "InvalidParameter scope")
        #expect(try error(["limit": 1]) == "InvalidParameter scope")
        #expect(try error(["scope": "todos.draft", "where": "true"]) == "InvalidParameter scope")
        #expect(try error(["scope": "todos.items", "id": 1, "limit": 1]) == "InvalidParameter id")
        #expect(try error(["scope": "todos.items", "where": "titel == 1"]) == "BadExpression")
        #expect(try error(["scope": "todos.items", "limit": -1]) == "InvalidParameter limit")
        #expect(try error(["scope": "music", "id": 1]) == "UnknownScope")
    }

    @Test func `a list above the limit of one answer is refused as a whole and available in pages`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let note = String(repeating: "x", count: 4_000)
        for _ in 0..<4 {
            try client.dispatch(
                (0..<100).map { _ in ["todos": ["add": ["items": [["title": "Long", "note": .text(note)]]]]] })
        }
        let whole = try client.ask(Self.method, ["scope": "todos.items", "where": "title"])
        #expect(Client.short(whole) == "AnswerTooLarge")
        let pages = try client.stream(Self.method, ["scope": "todos.items", "where": "title"])
        #expect(pages.flatMap { ids($0["state"] ?? .null) }.count == 400)
        #expect(pages.allSatisfy { $0.description.utf8.count < 300 << 10 })
    }

    @Test func `one answer is as large as declared, whatever must be escaped in it`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let lines = String(repeating: "- tea\n", count: 900)
        func add(_ count: Int) throws {
            try client.dispatch(
                (0..<count).map { _ in ["todos": ["add": ["items": [["title": "List", "note": .text(lines)]]]]] })
        }
        try add(100)
        try add(50)
        let state = ["scope": "todos.items"] as Value, found = ["scope": "todos.items", "where": "title"] as Value
        for call in [state, found] {
            let bytes = try client.call(Self.method, call).description.utf8.count
            #expect(900_000..<1_048_576 ~= bytes, "\(bytes)")
        }
        try add(30)
        for call in [state, found] { #expect(Client.short(try client.ask(Self.method, call)) == "AnswerTooLarge") }
    }

    @Test func `a view above the limit of one answer is refused with an alternative`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let title = String(repeating: "long ", count: 30)
        for _ in 0..<8 { try client.dispatch((0..<1_000).map { _ in Actions.add(title) }) }
        let view = try client.ask("org.todod.Store.View", ["feature": "todos"])
        #expect(Client.short(view) == "AnswerTooLarge" && view.parameters["message"]?.text?.contains("View with more") == true)
    }

    @Test func `a view is available in pages at every moment, and they form the whole`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch((1...700).map { Actions.add("Todo \($0)") })
        try client.dispatch([Actions.complete(3), Actions.text("Buy")])
        try client.dispatch((4...500).map { Actions.remove($0) })
        for feature in ["todos", "counter", "alerts", "flows", "stars", "repositories", "posts", "views"] {
            for point in [nil, ["sequence": 0], ["sequence": 1], ["back": 497]] as [Value?] {
                let call: Value = .record([.init("feature", .text(feature))] + (point.map { [.init("at", $0)] } ?? []))
                let whole = try client.call("org.todod.Store.View", call)
                let pages = try client.stream("org.todod.Store.View", call)
                let view = pages.dropFirst().reduce(into: pages.first?["view"] ?? .null) { $0.append(page: $1["view"] ?? .null) }
                #expect(view == whole["view"], "\(call)")
                #expect(pages.allSatisfy { $0["sequence"] == whole["sequence"] && $0["time"] == whole["time"] }, "\(call)")
                #expect(pages.allSatisfy { $0["epoch"] == whole["epoch"] }, "\(call)")
            }
        }
        #expect(try client.stream("org.todod.Store.View", ["feature": "todos", "at": ["back": 497]]).count > 1)
    }

    @Test func `todoctl shows a view that is larger than one answer`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for start in stride(from: 1, to: 20_000, by: 1_000) {
            try client.dispatch((start..<start + 1_000).map { Actions.add("A todo with number \($0)") })
        }
        let shown = try daemon.todoctl("view", "todos").lines
        #expect(shown.count { $0.contains("A todo with number ") } == 20_000)
        #expect(shown.contains { $0.contains("TODO - (20000)") })
        let json = try daemon.todoctl("view", "todos", "--json", "--at", "1000")
        #expect(json.lines.count == 1 && json.lines[0].contains("A todo with number 1000"))
    }

    @Test func `todoctl lets the daemon filter and shows the same todos as before`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([
            add("Pay \"rent\"", tags: ["home", "a \"b\\"]), add("Buy the milk", tags: ["shop"]), add("Old", priority: 3),
        ])
        try client.dispatch([Actions.complete(3)])
        _ = try daemon.todoctl("edit", "1", "--due", "2020-01-01")
        #expect(try daemon.todoctl("list").lines.count == 3)
        #expect(try daemon.todoctl("list").lines.first == "2 of 3 todos")
        #expect(try daemon.todoctl("list", "--tag", "a \"b\\", "--tag", "home").lines.count == 2)
        #expect(try daemon.todoctl("list", "--overdue").lines.last?.contains("rent") == true)
        #expect(try daemon.todoctl("list", "--done").lines.last?.contains("Old") == true)
        #expect(try daemon.todoctl("list", "--search", "BUY", "--search", "milk").lines.last?.contains("milk") == true)
        #expect(try daemon.todoctl("list", "--search", "\"", "--limit", "1").lines.last?.contains("rent") == true)
        #expect(try daemon.todoctl("list", "--search", "old").lines == ["0 of 3 todos", "No open todo matches “old”."])
        #expect(try daemon.todoctl("list", "--all", "--limit", "1").lines.count == 2)
        #expect(try daemon.todoctl("list", "--all", "--limit", "1", "--sort", "priority").lines.last?.contains("Old") == true)
        let late = try daemon.todoctl("list", "--at", "3", "--overdue")
        #expect(late.lines == ["0 of 3 todos", "No open todo matches “is:overdue”."])
        for words in [["list", "--at", "3"], ["list", "--at", "3", "milk", "--all"]] {
            let told = try Command.run([Products.todoctl] + words, environment: ["TODOD_SOCKET": daemon.socket], seconds: 120)
            let lines = told.error.split(separator: "\n")
            #expect(lines.count == 1 && lines.first?.hasPrefix("as of record 3, ") == true, "\(words): \(told.error)")
        }
        #expect(try daemon.todoctl("show", "1").lines.first == "1: Pay \"rent\"")
        let shown = try Value(parsing: try daemon.todoctl("show", "1", "--json").text)
        #expect(ids(shown["state"] ?? .null) == [1], "\(shown)")
        #expect(try daemon.todoctl("move", "3", "--bottom").end == .exit(0))
        #expect(try ids(client.state("todos.items")).last == 3)
        let unknown = try daemon.todoctl("show", "9")
        #expect(unknown.end == .exit(1) && unknown.error.hasPrefix("todoctl: There is no todo 9."), "\(unknown)")
        #expect(try daemon.todoctl("show", "3", "--at", "0").end == .exit(1))
    }

    @Test func `the daemon sends only the selected ones of twenty thousand todos`() throws {
        let directory = TemporaryDirectory()
        let items = (1...20_000).map { id in
            let title = id % 8_000 == 7 ? "Buy MÜSLI" : "Todo number \(id)"
            return #"{"id":\#(id),"title":"\#(title)","created":\#(id),"due":"2020-01-01"}"#
        }
        let state = try directory.write(#"{"todos":{"items":[\#(items.joined(separator: ","))]}}"#, to: "state.json")
        let daemon = try Daemon.started(flags: ["--ephemeral", "--state", state])
        let client = try daemon.connect(seconds: 120)
        for (verb, count) in [
            (["--search", "müsli", "--sort", "due"], 3), (["--all", "--search", "MÜSLI", "--limit", "2"], 2),
            (["--limit", "2"], 2),
        ] as [([String], Int)] {
            let before = try #require(client.metrics()["todod_sent_bytes_total"])
            let listed = try Command.run(
                [Products.todoctl, "list"] + verb, environment: ["TODOD_SOCKET": daemon.socket], seconds: 120)
            #expect(listed.lines.first == "\(count) of 20,000 todos" && listed.lines.count == 1 + count, "\(verb) \(listed)")
            #expect(try #require(client.metrics()["todod_sent_bytes_total"]) - before < 32_768, "\(verb)")
        }
    }

    @Test func `todos that were overdue at a past moment are found by the daemon`() throws {
        let daemon = try Daemon.started()
        for (title, due) in [("Long ago", "2020-01-01"), ("Far away", "2999-01-01")] {
            #expect(try daemon.todoctl("add", title, "--due", due).end == .exit(0))
        }
        #expect(try daemon.todoctl("done", "1").end == .exit(0))
        #expect(try daemon.todoctl("list", "--at", "2", "--overdue").lines.last?.contains("Long ago") == true)
        #expect(try daemon.todoctl("list", "--at", "@-1", "--overdue", "--limit", "1").lines.count == 2)
        #expect(try daemon.todoctl("list", "--all", "--overdue").lines == ["0 of 2 todos", "No todo matches “is:overdue”."])
        let json = try Value(parsing: daemon.todoctl("list", "--at", "2", "--overdue", "--json").text)
        #expect(json["sequence"] == 2 && json["time"] != nil && json["count"] == 2, "\(json)")
    }

    static let lookingThrough: [(method: String, parameters: Value)] = [
        (method, ["scope": "todos.items", "where": "contains(note, 'zzz')"]),
        (
            "org.todod.History.Scan",
            [
                "question": "violations", "expression": "not any(t in todos.items: contains(t.note, 'zzz'))",
                "from": ["sequence": 1],
            ]
        ),
    ]

    @Test(arguments: lookingThrough)
    func `while long notes are searched, others get their short answers`(method: String, parameters: Value) throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let note = String(repeating: "É", count: 32_768)
        for _ in 0..<120 {
            try client.dispatch([["todos": ["add": ["items": [["title": "Read", "note": .text(note)]]]]]])
        }
        let looking = Background { [socket = daemon.socket] in try Client(socket, seconds: 60).ask(method, parameters) }
        var answers = 0
        while !looking.isOver {
            _ = try client.state("counter")
            answers += 1
        }
        #expect(try looking.value().error == nil)
        #expect(answers >= 20)
    }
}

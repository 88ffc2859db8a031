import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Checks that no answer of a reading method grows with the state or the log: it is paged, truncated, or refused as
/// `AnswerTooLarge`.
///
/// A method that only reads fails here until it is in one of the two lists.
@Suite(.ownThreads) struct AnswerSizeTests {
    /// The limit of a reply that the interfaces promise, plus its frame and the last page.
    private static let bytesMax = (1 << 20) + (256 << 10)

    /// Methods whose answers grow, each with calls for everything.
    private static let growing: [String: [Value]] = [
        "org.todod.Store.GetState": [[:], ["at": ["back": 1]]],
        "org.todod.Store.View": [["feature": "todos"]],
        "org.todod.Store.Subscribe": [
            ["scope": "todos"], ["kind": "records", "from": ["sequence": 1]], ["kind": "view", "feature": "todos"],
            ["kind": "records", "from": ["sequence": 1], "actions": []],
        ],
        "org.todod.History.Log": [
            [:], ["changes": true], ["where": "counter.count == 0", "path": "todos.items", "changes": true],
        ],
        "org.todod.History.Diff": [
            ["from": ["sequence": 0], "to": ["back": 0]], ["from": ["sequence": 0], "to": ["back": 0], "patch": true],
            ["from": ["sequence": 0], "to": ["back": 0], "path": "todos.items"],
        ],
        "org.todod.History.Why": [["sequence": 1], ["sequence": 100]],
        "org.todod.History.Scan": [
            ["question": "first", "expression": "count(todos.items) > 0"],
            ["question": "first", "expression": "count(todos.items) > 500"],
            ["question": "violations", "expression": "count(todos.items) > 0", "all": true],
            ["question": "values", "expression": "count(todos.items)", "every": "records"],
            ["question": "activity", "buckets": 1_000],
        ],
        "org.todod.History.Blame": [["path": "todos.items", "all": true], ["path": "todos.items", "history": true]],
        "org.todod.History.Export": [[:]],
        "org.todod.History.Steps": [[:]],
        "org.todod.History.WhatIf": [["alterations": [["skip": 1, "through": 100]]]],
    ]

    /// Methods whose answers have a fixed number of short values, or a named maximum of short rows.
    private static let small: Set<String> = [
        "org.todod.History.Bookmarks", "org.todod.Admin.Status",
        "org.todod.Admin.Ping",
        "org.todod.Admin.Metrics", "org.todod.Admin.Clients", "org.todod.Admin.Commands", "org.todod.Admin.Head",
        "org.todod.Admin.FollowCommands", "org.todod.Admin.Verify", "org.todod.Admin.Machines",
        "org.todod.History.Invariants",
        // The changes of one record, truncated.
        "org.todod.Admin.DebugTail",
    ]

    @Test func `every reading method declares how large its answers get`() {
        #expect(Set(Self.growing.keys).union(Self.small) == Set(MethodTests.reads.keys))
    }

    // A control character takes six bytes in JSON.
    @Test(arguments: ["n", "\u{1}"]) func `no answer is larger than its limit, in one reply or in many`(letter: String) throws {
        // The undo at the end is larger than members of a cluster accept.
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let client = try daemon.connect()
        // 100 records of 20 KB each are together twice as large as an answer may be.
        for _ in 0..<100 { try client.dispatch([Self.add(5, of: letter)]) }
        for (method, calls) in Self.growing {
            for parameters in calls {
                for more in [false, true] {
                    let (largest, error) = try frames(of: daemon, method, parameters, more: more)
                    #expect(largest <= Self.bytesMax, "\(method) \(parameters) \(more): \(largest)")
                    let expected = more ? [nil] : [nil, "AnswerTooLarge", "ExpectedMore"]
                    #expect(expected.contains(error), "\(method) \(parameters): \(error ?? "")")
                }
            }
        }
        let removals = (1...300).map { Actions.remove($0) }
        let trial: Value = ["actions": .list(removals), "dryRun": true]
        #expect(Client.short(try client.ask("org.todod.Store.Dispatch", trial)) == "AnswerTooLarge")
        // A change is made even if its answer can't contain everything.
        try client.dispatch(removals)
        let undone = try client.call("org.todod.History.Undo")
        #expect(undone["first"] != nil && undone["changes"] == nil)
    }

    @Test func `a redo whose answer would contain too many commands returns their number instead`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        // Each of the bytes takes six in JSON.
        let ids = (0..<1_000).map { String(repeating: "\u{1}", count: 90) + "\($0)" }
        let presses: [Value] = ids.map { ["stars": ["press": ["id": .text($0)]]] }
        let rehearsal: Value = ["actions": .list(presses), "dryRun": true]
        #expect(Client.short(try client.ask("org.todod.Store.Dispatch", rehearsal)) == "AnswerTooLarge")
        try client.dispatch(presses)
        _ = try client.call("org.todod.History.Undo")
        func ask(_ method: String, _ parameters: Value = [:], asksFor count: Int = 1_000) throws -> Value {
            try client.send("org.todod.History." + method, parameters)
            let frame = try client.receiveFrame()
            #expect(frame.count <= Self.bytesMax, "\(method): \(frame.count)")
            let answer = try Client.result(try Reply(parsing: frame.span))
            let told = answer["commands"]?.list?.count ?? 0
            #expect(count == 0 ? told == 0 : (1..<count).contains(told))
            #expect(answer["commandsLeftOut"]?.int ?? 0 == Int64(count - told), "\(method): \(told)")
            return answer
        }
        let trial = try ask("Undo", ["redo": true, "dryRun": true])
        let said = try daemon.todoctl("redo", "--dry-run")
        let more = "would ask for \(trial["commandsLeftOut"]?.int ?? 0) more commands"
        #expect(said.text.contains(more), "\(said.text.suffix(200))")
        let done = try #require(try ask("Undo", ["redo": true])["last"])
        _ = try ask("Undo", asksFor: 0)
        _ = try ask("Revert", ["to": ["sequence": done]])
    }

    @Test func `the changes of an undo are left out if they are too large, whatever their characters are`() throws {
        // Each of the bytes takes six in JSON, and each change contains one of the texts twice.
        let ids = (0..<900).map { String(repeating: "\u{1}", count: 90) + "\($0)" }
        let starred: Value = ["phase": "star", "starCount": 1]
        let state: Value = ["stars": ["items": .record(ids.map { .init($0, starred) })]]
        let directory = TemporaryDirectory()
        let file = try directory.write(state.description, to: "state.json")
        let daemon = try Daemon.started(flags: ["--ephemeral", "--state", file])
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        try client.dispatch(ids.map { ["stars": ["press": ["id": .text($0)]]] })
        for trial in [true, false] {
            try client.send("org.todod.History.Undo", ["dryRun": .bool(trial)])
            let frame = try client.receiveFrame()
            #expect(frame.count <= 1 << 20, "\(trial): \(frame.count)")
            let answer = try Client.result(try Reply(parsing: frame.span))
            #expect(answer["steps"]?.list?.count == 1 && answer["changes"] == nil)
        }
    }

    @Test func `the conflicts of an undo are truncated to one answer, with the number of the rest`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let todo: Value = ["title": "Buy the milk", "note": .text(String(repeating: "n", count: 9_000))]
        let step = try client.dispatch([["todos": ["add": ["items": .list(Array(repeating: todo, count: 100))]]]]).sequences[0]
        let note = Value.text(String(repeating: "m", count: 9_000))
        try client.dispatch((1...100).map { ["todos": ["edit": ["id": .int($0), "note": note]]] })
        try client.send("org.todod.History.Undo", ["steps": [.int(step)]])
        let frame = try client.receiveFrame()
        #expect(frame.count <= Self.bytesMax, "\(frame.count)")
        let reply = try Reply(parsing: frame.span)
        #expect(Client.short(reply) == "ChangedSince")
        let told = Int64(reply.parameters["conflicts"]?.list?.count ?? 0)
        #expect(told > 0 && reply.parameters["leftOut"] == .int(100 - told), "\(told)")
        let said = try daemon.todoctl("undo", "\(step)")
        #expect(said.error.contains("and at \(100 - told) more places"), "\(said.error.suffix(200))")
    }

    @Test func `the changes of a debugged action are truncated to one answer, with the number of the rest`() throws {
        let daemon = try Daemon.started()
        let (client, tail) = (try daemon.connect(), try daemon.connect())
        for feature in ["todos", "counter"] {
            _ = try client.call("org.todod.Admin.Debug", ["feature": .text(feature), "on": true])
        }
        try tail.send("org.todod.Admin.DebugTail", more: true)
        // The stream has no message for its begin, so the test waits for its first item.
        for _ in 0..<100 {
            try client.dispatch([Actions.increment])
            if try Deadline(seconds: 0.2).awaitReadable(tail.descriptor) { break }
        }
        let first = try client.dispatch([Self.add(200)]).sequences[0]
        try client.dispatch([Actions.add("Take my dog")])
        var told: [Int64: Value] = [:]
        while told[first + 1] == nil {
            let frame = try tail.receiveFrame()
            #expect(frame.count <= Self.bytesMax, "\(frame.count)")
            let item = try Client.result(try Reply(parsing: frame.span))
            told[item["sequence"]?.int ?? 0] = item
        }
        let (large, small) = (try #require(told[first]), try #require(told[first + 1]))
        let lines = Int64(large["lines"]?.list?.count ?? 0)
        #expect(lines > 0 && (large["linesLeftOut"]?.int ?? 0) >= 200 - lines, "\(lines)")
        #expect(large["action"] == ["todos": ["add": [:]]] && large["cut"] == true)
        #expect(small["linesLeftOut"] == nil && small["cut"] == nil && small["action"]?["todos"]?["add"]?["items"] != nil)
        // The same for the past.
        let shown = try daemon.todoctl("debug", "--from", "\(first)", "--to", "\(first)", "--json")
        #expect(try Value(parsing: Array(shown.lines[0].utf8).span) == large)
        let text = try daemon.todoctl("debug", "--from", "\(first)", "--to", "\(first)")
        #expect(text.text.contains("todos.add (too long to be shown)") && text.text.contains("more lines"), "\(text.end)")
    }

    private static func add(_ count: Int, of letter: String = "n") -> Value {
        let todo: Value = ["title": "Buy the milk", "note": .text(String(repeating: letter, count: 4_000))]
        return ["todos": ["add": ["items": .list(Array(repeating: todo, count: count))]]]
    }

    /// The largest frame of a call's answer, and its final error.
    private func frames(of daemon: Daemon, _ method: String, _ parameters: Value, more: Bool) throws -> (Int, String?) {
        let client = try daemon.connect()
        try client.send(method, parameters, more: more)
        var largest = 0
        while true {
            let frame = try client.receiveFrame()
            largest = max(largest, frame.count)
            let reply = try Reply(parsing: frame.span)
            if reply.error != nil { return (largest, Client.short(reply)) }
            let isWhole = reply.parameters["complete"]?.bool == true || reply.parameters["sequence"]?.int == 100
            if !reply.continues || method.hasSuffix("Subscribe") && isWhole { return (largest, nil) }
        }
    }
}

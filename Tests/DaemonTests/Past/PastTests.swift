import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct PastTests {
    /// Actions on all features.
    ///
    /// Some are refused, and some cause others.
    static func mixedActions(_ seed: UInt64, count: Int) -> [Value] {
        var dice = SeededGenerator(seed)
        return (0..<count).map { number -> Value in
            let id = Int64.random(in: 1...12, using: &dice)
            switch Int.random(in: 0..<20, using: &dice) {
            case 0, 1, 2: return Actions.add("Todo number \(number)")
            case 3: return Actions.edit(id, title: "Äpfel \(number) 🍏")
            case 4: return Actions.complete(id)
            case 5: return Actions.reopen(id)
            case 6: return Actions.remove(id)
            case 7: return Actions.move(id, to: 0)
            case 8: return Actions.text("Draft number \(number)")
            case 9: return Actions.submit
            case 10: return ["todos": ["clearCompleted": [:]]]
            case 11: return ["todos": ["load": [:]]]
            case 12: return ["posts": ["fetch": [:]]]
            case 13: return ["posts": ["more": [:]]]
            case 14: return ["stars": ["press": ["id": .text("star \(id % 3)")]]]
            case 15: return ["repositories": ["reload": [:]]]
            case 16: return ["flows": ["start": ["kind": "language"]]]
            case 17: return ["alerts": ["raise": ["text": .text("Alert \(number)")]]]
            case 18: return ["counter": ["decrement": [:]]]
            default: return Actions.increment
            }
        }
    }

    /// The state at a moment, from all pages.
    static func state(_ client: Client, at point: Value) throws -> (sequence: Int64, state: Value) {
        let pages = try client.stream("org.todod.Store.GetState", ["at": point])
        var whole = pages.first?["state"] ?? .null
        for page in pages.dropFirst() { whole.append(page: page["state"] ?? .null) }
        #expect(Set(pages.compactMap { $0["sequence"]?.int }).count == 1)
        return (pages.first?["sequence"]?.int ?? -1, whole)
    }

    @Test func `the state at every moment is the one that was live then, at every path and after every restart`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        var live: [Int64: Value] = [:]
        func note() throws {
            let pages = try client.stream("org.todod.Store.GetState")
            guard let first = pages.first, var state = first["state"], let sequence = first["sequence"]?.int else { return }
            for page in pages.dropFirst() { state.append(page: page["state"] ?? .null) }
            live[sequence] = state
        }
        try note()
        var accepted = 0
        for action in Self.mixedActions(11, count: 420) {
            if try client.refusal([action]).isEmpty { accepted += 1 }
            try note()
        }
        #expect(accepted >= 250, "only \(accepted) were accepted")
        #expect(live.count >= 200)
        func expectAll(_ what: String) throws {
            let client = try daemon.connect()
            for (sequence, state) in live.sorted(by: { $0.key < $1.key }) {
                let past = try Self.state(client, at: ["sequence": .int(sequence)])
                #expect(past.sequence == sequence && past.state == state, "\(what), at \(sequence)")
            }
        }
        try expectAll("while it runs")
        #expect(try daemon.stop() == .exit(0))
        try daemon.start()
        try expectAll("after a restart")
        try daemon.kill()
        for snapshot in try daemon.snapshots() { try FileManager.default.removeItem(atPath: snapshot) }
        try? FileManager.default.removeItem(atPath: daemon.data + "/travel")
        daemon.environment = ["TZ": "Pacific/Chatham", "LC_ALL": "tr_TR.UTF-8", "SWIFT_DETERMINISTIC_HASHING": "1"]
        try daemon.start()
        try expectAll("without snapshots, in another zone, language and order of hashes")
    }

    @Test func `every notation of a moment means the same everywhere`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for number in 1...6 { try client.dispatch([Actions.add("Todo number \(number)")]) }
        let times = try client.log().compactMap { $0["time"]?.int }
        let set = try client.call("org.todod.History.SetBookmark", ["bookmark": "middle", "at": ["sequence": 3]])
        #expect(set["sequence"] == 3 && set["sequences"] == [7])
        let points: [Value] = [
            ["sequence": 3], ["back": 4], ["time": .int(times[2])], ["time": .int(times[3] - 1)], ["bookmark": "middle"],
        ]
        for point in points {
            let past = try Self.state(client, at: point)
            #expect(past.sequence == 3 && past.state.titles.count == 3, "\(point)")
            #expect(try client.call("org.todod.Store.View", ["feature": "todos", "at": point])["sequence"] == 3)
            let records = try client.stream("org.todod.History.Log", ["from": point, "to": point]).flatMap {
                $0["records"]?.list ?? []
            }
            let isBetween = point["time"]?.int == times[3] - 1
            #expect(records.compactMap { $0["sequence"]?.int } == (isBetween ? [] : [3]), "\(point)")
        }
        #expect(try Self.state(client, at: ["bookmark": "start"]).sequence == 0)
        #expect(try Self.state(client, at: ["bookmark": "now"]).sequence == 7)
        #expect(try daemon.todoctl("log", "--raw", "--limit", "1").text.hasSuffix("bookmark middle at 3\n"))
        #expect(try client.call("org.todod.History.Bookmarks")["bookmarks"] == [["name": "middle", "sequence": 3, "record": 7]])
        // A bookmark does not move by itself.
        try daemon.crash()
        let second = try daemon.connect()
        #expect(try Self.state(second, at: ["bookmark": "middle"]).sequence == 3)
        _ = try second.call("org.todod.History.SetBookmark", ["bookmark": "middle"])
        #expect(try Self.state(second, at: ["bookmark": "middle"]).sequence == 7)
        try second.send("org.todod.Store.Subscribe", ["kind": "records", "from": ["back": 1]], more: true)
        #expect(try Client.result(second.receive())["records"]?.list?.first?["sequence"] == 7)
    }

    @Test func `bad input is a typed error, and nothing is written`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for number in 1...3 { try client.dispatch([Actions.add("Todo number \(number)")]) }
        let cases: [(String, Value, String)] = [
            ("Store.GetState", ["at": ["sequence": 4]], "Store.FutureSequence"),
            ("Store.GetState", ["at": ["back": 4]], "Store.PrunedSequence"),
            ("Store.GetState", ["at": ["time": 4_000_000_000_000_000]], "Store.FutureSequence"),
            ("Store.GetState", ["at": ["bookmark": "nowhere"]], "Store.UnknownBookmark"),
            ("Store.GetState", ["at": [:]], "InvalidParameter"),
            ("Store.GetState", ["at": ["sequence": 1, "back": 1]], "InvalidParameter"),
            ("Store.GetState", ["at": ["sequence": -1]], "InvalidParameter"),
            ("Store.View", ["feature": "todos", "at": ["sequence": 9]], "Store.FutureSequence"),
            ("Store.View", ["feature": "music", "at": ["sequence": 1]], "Store.UnknownFeature"),
            ("History.SetBookmark", ["bookmark": "now"], "Store.BadBookmark"),
            ("History.SetBookmark", ["bookmark": "3x"], "Store.BadBookmark"),
            ("History.SetBookmark", ["bookmark": ""], "Store.BadBookmark"),
            ("History.SetBookmark", ["bookmark": .text(String(repeating: "x", count: 65))], "Store.BadBookmark"),
            ("History.SetBookmark", ["bookmark": "later", "at": ["sequence": 4]], "Store.FutureSequence"),
            ("History.Log", ["feature": "music"], "Store.UnknownFeature"),
            ("History.Log", ["from": ["sequence": 9]], "Store.FutureSequence"),
            ("History.Diff", ["from": ["sequence": 1], "to": ["sequence": 9]], "Store.FutureSequence"),
            ("History.Diff", ["from": ["sequence": 1], "to": ["back": 0], "path": "todos.."], "Store.BadExpression"),
            ("History.Diff", ["from": ["sequence": 1], "to": ["back": 0], "path": "todos.itmes"], "Store.BadExpression"),
            ("History.Diff", ["from": ["sequence": 1]], "InvalidParameter"),
            ("History.Why", ["sequence": 0], "InvalidParameter"), ("History.Why", ["sequence": 9], "Store.FutureSequence"),
            ("History.Scan", ["question": "first", "expression": "count(todos.items >"], "Store.BadExpression"),
            ("History.Scan", ["question": "first", "expression": "cuonter.count > 3"], "Store.BadExpression"),
            (
                "History.Scan", ["question": "first", "expression": "true", "from": ["sequence": 3], "to": ["sequence": 1]],
                "Store.EmptyRange"
            ),
            (
                "History.Scan", ["question": "first", "expression": .text(String(repeating: "(", count: 100_000))],
                "Store.BadExpression"
            ),
            ("History.Blame", ["path": "todos.items["], "Store.BadExpression"),
            ("History.Blame", ["path": "todos.nothing"], "Store.BadExpression"),
            ("History.Blame", ["path": "todos.items", "at": ["bookmark": "x"]], "Store.UnknownBookmark"),
            ("History.Scan", ["question": "violations", "expression": "", "all": true], "Store.BadExpression"),
            ("History.Scan", ["question": "violations", "expression": "old.counter.count == 3"], "Store.BadExpression"),
            ("History.Log", ["where": "record.user == 3"], "Store.BadExpression"),
            ("History.Log", ["path": "todos.items[1].titel"], "Store.BadExpression"),
            ("History.Scan", ["question": "values", "expression": "counter.count > 3", "every": "day"], "Store.BadExpression"),
            ("History.Scan", ["question": "values", "expression": "old.counter.count", "every": "day"], "Store.BadExpression"),
            ("History.Scan", ["question": "values", "expression": "counter.count", "every": "week"], "InvalidParameter"),
            (
                "History.Scan", ["question": "values", "expression": "counter.count", "every": "records", "count": 0],
                "InvalidParameter"
            ),
            (
                "History.Scan", ["question": "values", "expression": "counter.count", "every": "step", "count": 3],
                "InvalidParameter"
            ),
            (
                "History.Scan",
                [
                    "question": "values", "expression": "counter.count", "every": "day",
                    "offsets": [["from": 3, "seconds": 0], ["from": 3, "seconds": 1]],
                ],
                "InvalidParameter"
            ),
            (
                "History.Scan",
                [
                    "question": "values", "expression": "counter.count", "every": "day",
                    "offsets": [["from": 3, "seconds": 100_001]],
                ],
                "InvalidParameter"
            ),
            ("History.Scan", ["question": "violations", "expression": "true", "to": ["sequence": 99]], "Store.FutureSequence"),
            ("History.Scan", ["question": "last", "expression": "true"], "InvalidParameter"),
            ("History.Scan", ["question": "first"], "InvalidParameter"),
            ("History.Scan", ["question": "first", "expression": "true", "all": true], "InvalidParameter"),
            ("History.Scan", ["question": "violations", "expression": "true", "method": "linear"], "InvalidParameter"),
            ("History.Scan", ["question": "values", "expression": "counter.count"], "InvalidParameter"),
            ("History.Scan", ["question": "activity", "expression": "true", "buckets": 3], "InvalidParameter"),
            ("History.Scan", ["question": "activity"], "InvalidParameter"),
        ]
        for (method, parameters, error) in cases {
            let reply = try client.ask("org.todod." + method, parameters, more: true)
            #expect(reply.error?.hasSuffix("." + error) == true, "\(method) \(parameters): \(reply.error ?? "none")")
            if error.hasSuffix("Sequence") {
                #expect(reply.parameters["first"] == 0 && reply.parameters["last"] == 3, "\(method) \(parameters)")
            }
        }
        let column = try client.ask("org.todod.History.Scan", ["question": "violations", "expression": "counter.count =="])
        #expect(column.parameters["column"] == 17)
        let misspelt = try client.ask(
            "org.todod.History.Scan", ["question": "violations", "expression": "all(todo in todos.items: todo.titel != '')"])
        #expect(misspelt.parameters["column"] == 31)
        #expect(try client.sequence() == 3)
        #expect(try daemon.todoctl("list", "--at", "99").end == .exit(1))
        #expect(try daemon.todoctl("list", "--at", "-9").end == .exit(1))
        #expect(try daemon.todoctl("list", "--at", "someday or other").end == .exit(64))
        #expect(try daemon.todoctl("bookmark", "now").end == .exit(64))
        #expect(try daemon.todoctl("bisect", "--where", "counter.count >").end == .exit(64))
    }

    @Test func `every verb that shows something can show it as it was`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        try client.dispatch([Actions.add("Take my dog")])
        try client.dispatch([Actions.increment])
        try client.dispatch([["stars": ["press": ["id": "swift"]]]])
        try daemon.state("stars.items") { $0["stars"]?["items"]?["swift"]?["phase"]?.text == "star" }
        try client.dispatch([["flows": ["start": ["kind": "language"]]]])
        _ = try daemon.todoctl("bookmark", "first", "1")
        _ = try daemon.todoctl("remove", "1")
        func text(_ words: String...) throws -> String {
            let outcome = try Command.run([Products.todoctl] + words, environment: ["TODOD_SOCKET": daemon.socket])
            #expect(outcome.end == .exit(0), "\(words): \(outcome)")
            return outcome.text
        }
        #expect(try text("list", "--at", "first") == "1 todo\n1 [ ] Buy the milk\n")
        #expect(try text("list", "--at", "-1").hasPrefix("2 todos"))
        #expect(try text("list", "--at", "@-0").hasPrefix("1 todo"))
        #expect(try text("list", "--at", "start") == "0 todos\n")
        #expect(try text("list", "--at", "now") == text("list"))
        #expect(try text("show", "1", "--at", "-1").hasPrefix("1: Buy the milk"))
        #expect(try text("counter", "--at", "2") == "0\n" && text("counter", "show", "--at", "3") == "1\n")
        #expect(try text("view", "todos", "--at", "2").hasPrefix("title: TODO - (2)"))
        #expect(try text("state", "counter", "--at", "2") == "counter:\n  count: 0\n")
        #expect(try text("star", "show", "swift", "--at", "3").contains("unstar  0"))
        #expect(try text("star", "show", "swift", "--at", "now").contains("star  1"))
        #expect(try text("flow", "--at", "3").isEmpty && !text("flow").isEmpty)
        for verb in ["posts", "repos", "alerts"] { _ = try text(verb, "--at", "1") }
        let told = try daemon.todoctl("list", "--at", "10 minutes ago")
        #expect(told.error.hasPrefix("10 minutes ago: ") && told.error.contains("before the first record"), "\(told)")
        let page = try Value(parsing: daemon.todoctl("list", "--at", "first", "--json").lines[0])
        #expect(page["sequence"] == 1 && page["time"]?.int != nil && page["folded"]?.int != nil)
        #expect(try daemon.todoctl("counter", "increment", "--at", "1").end == .exit(64))
        #expect(try text("bookmark") == "1  first\n")
    }
}

import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct LoadingTests {
    /// The load as one subscriber sees it.
    struct Sight: Equatable {
        var loading: [Bool] = []
        var titles: [String] = []

        mutating func take(_ item: Value) {
            for change in item["changes"]?.list ?? [] {
                if let flag = change["new"]?["loading"]?.bool { loading.append(flag) }
                if change["kind"]?.text == "insert", let title = change["new"]?["title"]?.text { titles.append(title) }
            }
        }
    }

    @Test func `load inserts the samples at the top after two seconds, and every subscriber sees it`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Call the bank")])
        let subscribers = try (0..<20).map { _ in
            let subscriber = try daemon.connect()
            try subscriber.send("org.todod.Store.Subscribe", ["scope": "todos"], more: true)
            _ = try Client.result(subscriber.receive())
            return subscriber
        }
        let start = ContinuousClock.now
        let loading = try daemon.todoctl("load")
        #expect(loading.end == .exit(0) && loading.text.contains("Loading"), "\(loading)")
        #expect(try client.state("todos.loading")["todos"]?["loading"]?.bool == true)
        for subscriber in subscribers {
            var sight = Sight()
            while sight.loading.last != false { sight.take(try Client.result(subscriber.receive())) }
            #expect(sight.loading == [true, false])
            #expect(sight.titles.count == 3)
        }
        #expect(ContinuousClock.now - start > .milliseconds(1_900))
        let titles = try client.state("todos.items").titles
        #expect(titles.count == 4 && titles.last == "Call the bank")
        let records = try client.log()
        #expect(records.count { $0["kind"]?.text == "end" } == 1)
        #expect(records.flatMap { $0["commands"]?.list ?? [] }.compactMap { $0["name"]?.text } == ["todos.load"])
    }

    @Test func `the source is called once, however many subscribers there are`() throws {
        let server = try WebServer(answering: "Water the plants\nCall the bank\n")
        let daemon = try Daemon.started(environment: ["TODOD_TODO_SOURCE": server.address])
        let watchers = try (0..<20).map { _ in
            let watcher = try daemon.connect()
            try watcher.send("org.todod.Store.Subscribe", ["scope": "todos"], more: true)
            return watcher
        }
        #expect(try daemon.todoctl("load").end == .exit(0))
        let state = try daemon.state("todos.items") { $0.titles.count == 2 }
        #expect(state.titles == ["Water the plants", "Call the bank"])
        #expect(server.requests == 1)
        _ = watchers
    }

    @Test func `a source that does not answer becomes an alert, and nothing else changes`() throws {
        let daemon = try Daemon.started(environment: ["TODOD_TODO_SOURCE": "http://127.0.0.1:1/"])
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        #expect(try daemon.todoctl("load").end == .exit(0))
        try daemon.state("alerts.items", seconds: 120) { $0["alerts"]?["items"]?.list?.isEmpty == false }
        let alerts = try daemon.todoctl("alerts")
        #expect(alerts.lines.count == 1 && alerts.text.contains("could not be loaded"), "\(alerts)")
        let todos = try client.state("todos")
        #expect(todos.titles == ["Buy the milk"] && todos["todos"]?["loading"]?.bool == false)
        #expect(try daemon.commands().isEmpty)

        #expect(try daemon.todoctl("alerts", "dismiss", "99").end == .exit(1))
        #expect(try daemon.todoctl("alerts", "dismiss", "1").end == .exit(0))
        #expect(try daemon.todoctl("alerts").lines.isEmpty)
        #expect(try daemon.todoctl("add", "Rent", "a", "car").end == .exit(0))
    }

    @Test func `events that only a command may produce are refused from clients`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let facts: [Value] = [
            ["todos": ["loaded": ["items": []]]], ["todos": ["loadFailed": ["reason": "no"]]],
            ["alerts": ["raise": ["text": "boo"]]], ["posts": ["failed": ["reason": "no"]]],
            ["posts": ["set": ["items": [], "nextPage": 2]]], ["stars": ["starred": ["id": "swift"]]],
            ["repositories": ["loadFailed": ["language": "Swift", "reason": "no"]]],
            ["repositories": ["languagesLoaded": ["languages": ["Ada"]]]], ["flows": ["ended": ["id": 1]]],
        ]
        for fact in facts { #expect(try client.refusal([fact]) == "FactNotAllowed", "\(fact)") }
        #expect(try client.sequence() == 0)
    }

    @Test func `if configured, todos are loaded once into an empty log, and not by a later start`() throws {
        let daemon = try Daemon.started(environment: ["TODOD_LOAD_WHEN_EMPTY": "yes"])
        let loaded = try daemon.state("todos") { $0["todos"]?["loading"]?.bool == false && !$0.titles.isEmpty }
        #expect(loaded.titles == ["Buy the milk", "Take my dog", "Rent a car"])
        let records = try daemon.connect().log()
        #expect(records.compactMap { $0["kind"]?.text } == ["action", "end"])
        try daemon.crash()
        #expect(try daemon.connect().log() == records)
        #expect(try daemon.stop() == .exit(0))
        try daemon.start()
        #expect(try daemon.connect().log() == records)
    }

    @Test func `a daemon whose initial actions are refused serves anyway and tries again at the next start`() throws {
        let daemon = try Daemon(environment: ["TODOD_LOAD_WHEN_EMPTY": "yes", "TODOD_FREE_BYTES_MIN": "70368744177664"])
        try daemon.start()
        #expect(try daemon.connect().sequence() == 0)
        #expect(try daemon.stop() == .exit(0))
        #expect(daemon.output.contains("The log stays empty; the next start tries again"), "\(daemon.output)")
        daemon.environment["TODOD_FREE_BYTES_MIN"] = nil
        try daemon.start()
        #expect(try daemon.state("todos") { !$0.titles.isEmpty }.titles.count == 3)
    }

    @Test func `nothing is loaded automatically into a log with records, or without the setting`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.connect().sequence() == 0)
        try daemon.connect().dispatch([Actions.increment])
        #expect(try daemon.stop() == .exit(0))
        daemon.environment["TODOD_LOAD_WHEN_EMPTY"] = "yes"
        try daemon.start()
        #expect(try daemon.connect().sequence() == 1)
    }
}

import Glibc
import ProcessTesting
import Synchronization
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct StarTests {
    @Test func `a button pressed a hundred times makes one request at a time and only valid transitions`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let press: Value = ["stars": ["press": ["id": "swift"]]]
        func pressOften() throws {
            for _ in 0..<100 { try client.send("org.todod.Store.Dispatch", Client.dispatch([press])) }
            for _ in 0..<100 { _ = try Client.result(client.receive()) }
        }
        func star(_ state: Value) -> Value? { state["stars"]?["items"]?["swift"] }
        try pressOften()
        #expect(try daemon.commands().count <= 1)
        try daemon.state("stars.items") { star($0)?["phase"]?.text == "star" }
        #expect(try daemon.todoctl("star", "show", "swift").text.contains("star  1"))
        try pressOften()
        try daemon.state("stars.items") { star($0)?["phase"]?.text != "unstaring" && star($0)?["phase"]?.text != "star" }

        var phase = "unstar"
        var (open, count) = (0, 0)
        for record in try client.log() {
            open += record["commands"]?.list?.count ?? 0
            if record["kind"]?.text == "end" { open -= 1 }
            #expect((0...1).contains(open), "\(record)")
            let step = record["action"]?["stars"]?.record?.first?.name ?? ""
            switch (phase, step) {
            case ("unstar", "staring"), ("star", "unstaring"): phase = step
            case ("staring", "starred"): (phase, count) = ("star", count + 1)
            case ("unstaring", "unstarred"): (phase, count) = ("unstar", count - 1)
            default: Issue.record("\(step) is no step from \(phase)")
            }
            #expect(count >= 0)
        }
        #expect(count == 0 || phase != "unstar")
    }

    @Test func `a subscriber sees a star being given for a second, then given, and removed the same way`() throws {
        let daemon = try Daemon.started()
        let (client, watcher) = (try daemon.connect(), try daemon.connect(seconds: 30))
        try watcher.send("org.todod.Store.Subscribe", ["scope": "stars"], more: true)
        while try Client.result(watcher.receive())["complete"]?.bool == false {}
        func phases(until last: String?) throws -> [String?] {
            var phases: [String?] = []
            while phases.last != .some(last) {
                let item = try Client.result(watcher.receive())
                for change in item["changes"]?.list ?? [] {
                    phases.append(change["new"]?["swift"]?["phase"]?.text)
                }
            }
            return phases
        }
        let start = ContinuousClock.now
        try client.dispatch([["stars": ["press": ["id": "swift"]]]])
        #expect(try phases(until: "star") == ["staring", "star"])
        #expect(ContinuousClock.now - start >= .milliseconds(900))
        try client.dispatch([["stars": ["press": ["id": "swift"]]]])
        #expect(try phases(until: nil) == ["unstaring", nil])
    }

    @Test func `each of a thousand commands ends with a result or an alert, and memory returns to its earlier use`() throws {
        let seen = Mutex<Set<String>>([])
        let web = try WebServer { request in
            let line = request.prefix { $0 != "\r\n" }
            let number = line.split(whereSeparator: { "- ".contains($0) }).compactMap { Int($0) }.first ?? 0
            if number.isMultiple(of: 10) { return nil }
            let isFirst = seen.withLock { $0.insert(String(line)).inserted }
            return number.isMultiple(of: 3) && isFirst ? (500, "not yet") : (200, "")
        }
        let daemon = try Daemon()
        let token = try daemon.directory.write("token\n", to: "token")
        #expect(chmod(token, 0o600) == 0)
        // Nothing is sent to other hosts, and requests without an answer time out after a second.
        daemon.environment = [
            "TODOD_GITHUB_URL": String(web.address.dropLast()), "TODOD_GITHUB_TOKEN_FILE": token, "TODOD_HTTP_SECONDS": "1",
        ]
        try daemon.start()
        let client = try daemon.connect(seconds: 300)
        let count = Int64(Sanitizer.share(of: 1_000))
        func press(_ numbers: some Sequence<Int64>) throws {
            try client.dispatch(numbers.map { ["stars": ["press": ["id": .text("owner/name-\($0)")]]] })
        }
        try press((1...30).filter { $0 % 10 != 0 })
        while try client.status()["outbox"]?["open"] != 0 { _ = try client.ask("org.todod.Store.GetState", ["scope": "stars"]) }
        let before = try daemon.anonymousKiB()
        try press(31...count)
        while try client.status()["outbox"]?["open"] != 0 {
            let next = try client.sequence() + 1
            _ = try client.ask("org.todod.Store.GetState", ["scope": "counter", "minimumSequence": .int(next)])
        }
        let silent = (31...count).count { $0 % 10 == 0 }
        let ends = try client.log().compactMap { $0["outcome"]?.text }
        let (done, failed) = (ends.count { $0 == "result" }, ends.count { $0 == "failed" })
        #expect(done + failed == Int(count) - 3 && ends.count == Int(count) - 3)
        // Requests whose answer misses the timeout of a second in each attempt fail as well. On a busy machine it may be one or
        // two.
        #expect(failed >= silent && failed - silent <= Int(count) / 100, "\(failed) failed, \(silent) were silent")
        #expect(try client.state("alerts")["alerts"]?["items"]?.list?.isEmpty == false)
        let growth = try daemon.anonymousKiB() - before
        if !Sanitizer.isOn { #expect(growth < 8_000, "\(growth) KiB") }
    }

    @Test func `press --wait prints the request and then its result`() throws {
        let daemon = try Daemon.started()
        let given = try daemon.todoctl("star", "press", "swift", "--wait")
        #expect(given.end == .exit(0) && given.text == "… swift  staring\n★ swift  star\n", "\(given)")
        let taken = try daemon.todoctl("star", "press", "swift", "--wait", "--json")
        let steps = try taken.lines.map { try Value(parsing: Array($0.utf8).span)["action"]?["stars"]?.record?.first?.name }
        #expect(taken.end == .exit(0) && steps == ["unstaring", "unstarred"], "\(taken)")
    }

    @Test func `press --wait during a request waits for that one and prints why it failed`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        let press: Value = ["stars": ["press": ["id": "swift"]]]
        let sequence = try client.dispatch([press]).sequences[0]
        let environment = ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket]
        let waiting = Background {
            try Command.run([Products.todoctl, "star", "press", "swift", "--wait"], environment: environment, seconds: 120)
        }
        while try client.status()["subscribers"] == 0 {}
        _ = try client.call(
            "org.todod.Admin.ChangeCommand", ["id": ["sequence": .int(sequence), "index": 0], "operation": "skip"])
        let outcome = try waiting.value()
        #expect(outcome.end == .exit(1) && outcome.text == "… swift  staring\n", "\(outcome)")
        #expect(outcome.error.contains("The star of swift is unchanged: it was skipped"), "\(outcome)")
        #expect(try client.log().count { $0["action"]?["stars"]?["staring"] != nil } == 1)
    }

    @Test func `watching a star prints each of its steps and nothing of another star`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let environment = ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket]
        let watching = try LiveProgram([Products.todoctl, "watch", "star", "swift"], environment: environment)
        while try client.status()["subscribers"] == 0 {}
        #expect(try daemon.todoctl("star", "press", "rust", "--wait").end == .exit(0))
        #expect(try daemon.todoctl("star", "press", "swift", "--wait").end == .exit(0))
        #expect(try daemon.todoctl("star", "press", "swift", "--wait").end == .exit(0))
        #expect(try watching.line() == "☆ swift  unstar  0")
        for step in ["… swift  staring  0", "★ swift  star  1", "… swift  unstaring  1", "☆ swift  unstar  0"] {
            let line = try watching.line()
            #expect(line?.hasSuffix("  " + step) == true, "\(line ?? "none")")
        }
        #expect(try daemon.todoctl("watch", "todos", "swift").end == .exit(64))
    }

    @Test func `watching a star prints nothing about another one whose id looks the same`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let environment = ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket]
        let watching = try LiveProgram([Products.todoctl, "watch", "star", "\u{E9}"], environment: environment)
        while try client.status()["subscribers"] == 0 {}
        for id in ["e\u{301}", "\u{E9}"] { #expect(try daemon.todoctl("star", "press", id, "--wait").end == .exit(0)) }
        #expect(try watching.line()?.utf8.elementsEqual("☆ \u{E9}  unstar  0".utf8) == true)
        for step in ["… \u{E9}  staring  0", "★ \u{E9}  star  1"] {
            let line = try #require(try watching.line())
            #expect(line.utf8.suffix(step.utf8.count).elementsEqual(step.utf8), "\(Array(line.utf8))")
        }
    }

    @Test func `watching a star as JSON prints only that star, from the first line on`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        #expect(try daemon.todoctl("star", "press", "rust", "--wait").end == .exit(0))
        let environment = ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket]
        let watching = try LiveProgram([Products.todoctl, "watch", "star", "swift", "--json"], environment: environment)
        func told() throws -> Value { try Value(parsing: try #require(try watching.line())) }
        #expect(try told()["state"] == ["stars": ["items": ["swift": ["phase": "unstar", "starCount": 0]]]])
        // Both in one dispatch, so that they arrive together.
        try client.dispatch(["go", "swift"].map { ["stars": ["press": ["id": .text($0)]]] })
        for phase in ["staring", "star"] {
            let item = try told()
            #expect(item["state"] == nil)
            #expect(item["changes"]?.list?.map { $0["new"]?["swift"]?["phase"]?.text } == [phase], "\(item)")
            for record in item["records"]?.list ?? [] {
                #expect(record["action"]?["stars"]?.record?.first?.value["id"] == "swift", "\(item)")
            }
            for command in item["commands"]?.list ?? [] { #expect(command["arguments"]?["id"] == "swift", "\(item)") }
        }
    }

    @Test func `a button that was never pressed has no output, and an invalid id is refused`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("star", "show", "swift").text == "☆ swift  unstar  0\n")
        #expect(try daemon.todoctl("star", "show").text.isEmpty)
        #expect(try daemon.todoctl("star", "press", String(repeating: "s", count: 10_000)).end == .exit(1))
    }

    @Test func `two buttons whose ids look alike are different, for every reader`() throws {
        let daemon = try Daemon.started()
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        #expect(try daemon.todoctl("star", "press", one, "--wait").end == .exit(0))
        #expect(try daemon.todoctl("star", "press", two, "--wait").end == .exit(0))
        #expect(try daemon.todoctl("star", "press", two, "--wait").end == .exit(0))
        #expect(try daemon.todoctl("star", "press", two, "--wait").end == .exit(0))
        #expect(try daemon.todoctl("star", "press", one, "--wait").end == .exit(0))
        #expect(try daemon.todoctl("star", "show", one).text.utf8.elementsEqual("☆ \(one)  unstar  0\n".utf8))
        #expect(try daemon.todoctl("star", "show", two).text.utf8.elementsEqual("★ \(two)  star  1\n".utf8))
        #expect(try daemon.todoctl("star", "press", one, "--wait").end == .exit(0))
        let state = try daemon.todoctl("state", "--json")
        let stars = try Value(parsing: state.text)["state"]?["stars"]?["items"]
        #expect(stars?[one]?["starCount"] == 1 && stars?[two]?["starCount"] == 1)
        try daemon.directory.write(state.text, to: "state.json")
        let again = try Daemon.started(flags: ["--ephemeral", "--state", daemon.directory.path + "/state.json"])
        #expect(try again.todoctl("star", "show", one).text.contains("star  1"))
    }
}

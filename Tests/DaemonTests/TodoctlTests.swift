import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct TodoctlTests {
    @Test func `a failure has an exit status and one sentence`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Buy", "the", "milk").end == .exit(0))
        let refused = try daemon.todoctl("add", "ab")
        #expect(refused.end == .exit(1) && refused.output.isEmpty && !refused.error.isEmpty, "\(refused)")
        #expect(try daemon.todoctl("done", "99").end == .exit(1))
        #expect(try daemon.todoctl("dance").end == .exit(64))
        #expect(try daemon.todoctl("add", "--due", "someday", "Buy bread").end == .exit(64))
        #expect(try daemon.todoctl("dispatch", "{").end == .exit(64))
        #expect(try daemon.todoctl("dispatch", #"{"music":{"play":{}}}"#).end == .exit(64))
        let long = String(repeating: "x", count: 65_537)
        #expect(try daemon.todoctl("log", "--search", long).end == .exit(64))
        #expect(try daemon.todoctl("log", "--raw", "--search", String(long.dropLast())).end == .exit(0))

        #expect(try daemon.stop() == .exit(0))
        let away = try daemon.todoctl("list")
        #expect(away.end == .exit(69), "\(away)")
        #expect(away.error.contains("todod --socket \(daemon.socket)"), "\(away)")
    }

    @Test func `a verb that changed nothing does not report a change`() throws {
        let daemon = try Daemon.started()
        for verb in ["undo", "redo"] {
            let nothing = try daemon.todoctl(verb, "--any")
            #expect(nothing.end == .exit(1) && nothing.error.contains("nothing to \(verb)"), "\(nothing)")
        }
        #expect(try daemon.todoctl("add", "Buy", "the", "milk").end == .exit(0))
        #expect(try daemon.todoctl("move", "1", "--bottom").text == "1 was there already: Buy the milk\n")
        #expect(try daemon.connect().sequence() == 1)
        let call = try daemon.todoctl("call", "org.example.Ping")
        #expect(call.error.contains("no such interface: org.example"), "\(call)")
    }

    @Test(arguments: [["\u{1B}[31m"], ["list", "--\u{1B}[31m"], ["add", "--priority", "\u{1B}[31m", "Buy the milk"]])
    func `invalid input is printed without control characters`(arguments: [String]) throws {
        let outcome = try Command.run([Products.todoctl] + arguments)
        #expect(outcome.end == .exit(64) && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.error.contains("\\u{1b}[31m") && !outcome.error.contains("\u{1B}"), "\(outcome)")
        #expect(outcome.error.contains(arguments.count == 1 ? "\nTo see all: todoctl --help" : "\nUsage: todoctl"), "\(outcome)")
    }

    @Test func `a misspelt verb below fork makes no fork of that name`() throws {
        let daemon = try Daemon.started()
        let told = try daemon.todoctl("fork", "lst")
        #expect(
            told.end == .exit(64) && told.error.contains("did you mean list?\nIf it is a name: todoctl fork make lst"), "\(told)")
        #expect(try daemon.todoctl("fork", "list").output.isEmpty)
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `on request todoctl waits for a missing daemon and says that it waits`() throws {
        let daemon = try Daemon()
        let terminal = try Terminal(daemon.directory.path)
        try terminal.press("'\(Products.todoctl)' --socket '\(daemon.socket)' --wait 600 add Milk", "Enter")
        #expect(try terminal.shows("Waiting for a daemon at"))
        try daemon.start()
        try daemon.state("todos") { $0.titles == ["Milk"] }
        #expect(try terminal.hides("Waiting for a daemon at"))
        let absent = daemon.directory.path + "/absent"
        for wait in [["--wait", "0"], []] {
            let outcome = try Command.run([Products.todoctl, "--socket", absent] + wait + ["list"])
            #expect(outcome.end == .exit(69) && outcome.error.contains("No daemon answers at \(absent)"), "\(outcome)")
        }
        let wrong = try Command.run([Products.todoctl, "--wait=soon", "list"])
        #expect(wrong.end == .exit(64) && wrong.error.contains("whole seconds"), "\(wrong)")
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"))
    func `a verb that takes longer than a second shows progress on a terminal and erases it`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Buy", "the", "milk").end == .exit(0))
        let terminal = try Terminal(daemon.directory.path)
        for verb in ["list", "why 1", "log --raw"] {
            daemon.signal(SIGSTOP)
            try terminal.press("clear; '\(Products.todoctl)' \(verb) --socket '\(daemon.socket)'", "Enter")
            #expect(try terminal.shows("working, 1 s") || terminal.shows("working, 2 s"), "\(verb)")
            daemon.signal(SIGCONT)
            #expect(try terminal.shows("Buy the milk") && terminal.hides("working,"), "\(verb)")
        }
    }

    @Test func `a closed pipe ends todoctl quietly`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<10 {
            try client.dispatch((0..<500).map { Actions.add("Todo number \($0)") })
        }
        for verb in ["list", "log", "state --json", "state"] {
            let outcome = try Command.run(
                ["/bin/bash", "-o", "pipefail", "-c", "'\(Products.todoctl)' \(verb) | head -n 1"],
                environment: ["TODOD_SOCKET": daemon.socket, "HOME": daemon.directory.path])
            #expect(outcome.end == .exit(0) || outcome.end == .exit(141), "\(verb): \(outcome)")
            #expect(outcome.error.isEmpty, "\(verb): \(outcome.error)")
            #expect(outcome.lines.count == 1, "\(verb)")
        }
    }

    @Test func `control characters of a title never reach the terminal raw`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let nasty = "Read\u{1B}[2J\u{7}this\u{9B}31m\u{202E}now\rgone\u{7F}"
        try client.dispatch([
            ["todos": ["add": ["items": [["title": .text(nasty), "note": .text(nasty), "tags": [.text("a\u{1B}b")]]]]]],
            Actions.text(nasty),
        ])
        let verbs = [
            ["list"], ["list", "--json"], ["show", "1"], ["show", "1", "--json"], ["log"], ["log", "--json"], ["state"],
            ["state", "--json"],
            ["view", "todos"], ["draft"], ["view", "todos", "--json"],
        ]
        for verb in verbs {
            let outcome = try Command.run([Products.todoctl] + verb, environment: ["TODOD_SOCKET": daemon.socket])
            let raw = outcome.text.unicodeScalars.filter {
                $0 != "\n" && ($0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E)
            }
            #expect(raw.isEmpty, "\(verb): \(raw.map { String($0.value, radix: 16) })")
            if outcome.end == .exit(0), verb != ["draft"] { #expect(outcome.text.contains("Read"), "\(verb): \(outcome)") }
        }
    }

    @Test func `invisible characters are escaped, and in another locale everything is ASCII`() throws {
        let daemon = try Daemon.started()
        let hidden = "Pay\u{200B} the\u{2066} rent\u{E0041}\u{AD}\u{FEFF} 👩‍👩‍👧 für ❤️"
        try daemon.connect().dispatch([Actions.add(hidden), Actions.text(hidden)])
        for verb in [
            ["list"], ["show", "1"], ["log"], ["log", "--raw"], ["state"], ["view", "todos"], ["draft"],
            ["blame", "todos.items[1].title"],
        ] {
            let shown = try Command.run([Products.todoctl] + verb, environment: ["TODOD_SOCKET": daemon.socket]).text
            #expect(shown.contains(#"Pay\u{200b} the\u{2066} rent\u{e0041}\u{ad}\u{feff} 👩‍👩‍👧 für ❤️"#), "\(verb): \(shown)")
            let ascii = try Command.run(
                [Products.todoctl] + verb, environment: ["TODOD_SOCKET": daemon.socket, "LC_ALL": "de_DE.ISO-8859-1"])
            #expect(ascii.output.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) }, "\(verb): \(ascii)")
            #expect(ascii.text.contains(#"f\u{fc}r"#), "\(verb): \(ascii)")
        }
        for locale in ["C.UTF-8", "C"] {
            let json = try daemon.todoctl("show", "1", "--json", environment: ["LC_ALL": locale])
            let titles = try Value(parsing: json.text)["state"]?["todos"]?["items"]?.list?.compactMap { $0["title"]?.text }
            #expect(titles == [hidden])
            #expect(json.text.contains("für"))
        }
        let unknown = try daemon.todoctl("state", "müll", "--json", environment: ["LC_ALL": "C"])
        #expect(unknown.error.utf8.allSatisfy { $0 < 0x80 }, "\(unknown)")
        #expect(try Value(parsing: unknown.error)["parameters"]?["scope"] == "müll")
        let help = try daemon.todoctl("redact", "--help", environment: ["LC_ALL": "C"])
        #expect(help.end == .exit(0) && help.output.allSatisfy { $0 < 0x80 }, "\(help)")
        let wrong = try daemon.todoctl("add", "--due", "ü", "x", environment: ["LC_ALL": "C"])
        #expect(wrong.end == .exit(64) && wrong.error.utf8.allSatisfy { $0 < 0x80 }, "\(wrong)")
    }

    @Test func `colours are for terminals, unless the user sets otherwise`() throws {
        guard let script = Products.tool("script") else { return }
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("counter", "increment").text == "The counter is at 1.\n")
        func onTerminal(_ variables: [String: String]) throws -> String {
            try Command.run(
                [script, "-qec", "'\(Products.todoctl)' counter", "/dev/null"],
                environment: ["TODOD_SOCKET": daemon.socket, "TERM": "xterm"].merging(variables) { $1 }
            ).text
        }
        #expect(try onTerminal([:]).contains("\u{1B}[32m"))
        #expect(try !onTerminal(["NO_COLOR": "1"]).contains("\u{1B}"))
    }

    @Test func `JSON output has the schema of the replies, one object per line`() throws {
        let daemon = try Daemon.started()
        let added = try Value(parsing: daemon.todoctl("add", "Buy", "the", "milk", "--json").lines[0])
        #expect(added["sequences"] == [1])
        #expect(added["ids"] == [1])
        _ = try daemon.todoctl("counter", "increment")
        let records = try daemon.todoctl("log", "--json").lines.flatMap { try Value(parsing: $0)["records"]?.list ?? [] }
        #expect(records.compactMap { $0["sequence"]?.int } == [1, 2])
        #expect(records.allSatisfy { $0["key"]?.text?.utf8.count == 32 })
        let refused = try daemon.todoctl("done", "9", "--json")
        #expect(try Value(parsing: refused.error)["error"] == "org.todod.feature.Todos.UnknownID")

        let file = daemon.directory.path + "/state.json"
        try daemon.directory.write(try daemon.todoctl("state", "--json").text, to: "state.json")
        let state = try daemon.connect().state()
        let copy = try Daemon.started(flags: ["--ephemeral", "--state", file])
        #expect(try copy.connect().state() == state)
        let status = try copy.todoctl("status", "--json").lines.first.map { try Value(parsing: $0) }
        #expect(status?["mode"] == "ephemeral")
        #expect(status?["capabilities"] == ["writable", "keys.lasting", "conditions.contains"])
    }

    @Test func `every kind of todo can be added, changed and found with usual words`() throws {
        let daemon = try Daemon.started()
        _ = try daemon.todoctl("add", "Pay", "the", "rent", "--due", "2020-01-01", "--tag", "home")
        _ = try daemon.todoctl(
            "add", "Call", "the", "bank", "--due", "tomorrow", "--priority", "high", "--note", "the new account")
        _ = try daemon.todoctl("draft", "Water the plants")
        #expect(try daemon.todoctl("submit").end == .exit(0))
        #expect(try daemon.todoctl("list").lines.first == "3 todos")
        #expect(try daemon.todoctl("list", "--overdue").lines.dropFirst().map { $0.contains("Pay the rent") } == [true])
        #expect(try daemon.todoctl("list", "--tag", "home").lines.count == 2)
        #expect(try daemon.todoctl("list", "--search", "account").lines.count == 2)
        #expect(try daemon.todoctl("done", "1", "2").end == .exit(0))
        #expect(try daemon.todoctl("list").lines.count == 2)
        #expect(try daemon.todoctl("list", "--done").lines.count == 3)
        #expect(try daemon.todoctl("reopen", "1").end == .exit(0))
        #expect(try daemon.todoctl("clear").end == .exit(0))
        #expect(try daemon.todoctl("list", "--all").lines.first == "2 todos")
        #expect(try daemon.todoctl("move", "1", "--top").end == .exit(0))
        #expect(try daemon.todoctl("list").lines[1].contains("Pay the rent"))
        #expect(try daemon.todoctl("call", "Admin.Ping").text.contains("\"sequence\":"))
        #expect(try daemon.todoctl("metrics").text.contains("# TYPE"))
        #expect(try daemon.todoctl("--version").text.hasPrefix("todoctl "))
        #expect(try daemon.todoctl("completions", "bash").text.contains("todoctl"))
    }

    @Test func `a change that coincides with a restart is made once`() throws {
        let daemon = try Daemon.started()
        // Batches follow one another, so todoctl is in the middle of its work when the daemon stops after the first.
        let channel = try Channel()
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(null) }
        let process = try ChildProcess(
            [Products.todoctl, "add", "--stdin", "--plain"],
            environment: Command.environment.merging(["TODOD_SOCKET": daemon.socket]) { $1 },
            input: channel.theirs, output: null, error: null)
        close(channel.theirs)
        let watcher = try daemon.connect()
        try watcher.send("org.todod.Store.Subscribe", ["kind": "records", "from": ["sequence": 1]], more: true)
        func feed(_ range: ClosedRange<Int>) throws {
            let bytes = Array(range.map { "Todo number \($0)\n" }.joined().utf8)
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(channel.ours, $0.baseAddress, $0.count) }
                guard count > 0 else { throw SystemFailure(what: "write") }
                rest = rest.dropFirst(count)
            }
        }
        // Nothing is added before all lines have arrived.
        try feed(1...12_000)
        close(channel.ours)
        _ = try watcher.receive()
        try daemon.crash()
        #expect(try process.wait(seconds: 60) == .exit(0))
        let client = try daemon.connect()
        let isEachThereOnce = try client.state("todos.items").titles.sorted() == (1...12_000).map { "Todo number \($0)" }.sorted()
        #expect(isEachThereOnce)
    }
}

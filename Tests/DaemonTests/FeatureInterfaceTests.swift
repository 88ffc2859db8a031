import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct FeatureInterfaceTests {
    @Test func `the example of each action is a valid action`() throws {
        let daemon = try Daemon.started()
        let features = try #require(try Value(parsing: daemon.todoctl("actions", "--json").text).record)
        #expect(features.map(\.name) == ["todos", "counter", "alerts", "posts", "stars", "repositories", "flows", "views"])
        let shown = features.flatMap { $0.value.record ?? [] }
        #expect(shown.count > 20)
        for action in shown {
            let example = try #require(action.value["example"])
            #expect(action.value["documentation"]?.text?.isEmpty == false, "\(action.name)")
            // A rule of the feature may refuse it, for example because there is no element 1.
            let answer = try daemon.todoctl("dispatch", "--dry-run", "--json", String(decoding: example.jsonBytes, as: UTF8.self))
            let isRefused = answer.error.hasPrefix(#"{"error":"org.todod.feature."#)
            #expect(answer.end == .exit(0) || answer.end == .exit(1) && isRefused, "\(action.name): \(answer)")
            #expect(action.name != "add" || answer.error.contains("Posts") || answer.end == .exit(0))
        }
    }

    @Test func `exactly the fields that the daemon fills in are marked in the description of a feature`() throws {
        let daemon = try Daemon.started()
        func marked(_ feature: String) throws -> [String] {
            let answer = try daemon.todoctl(
                "call", "org.varlink.service.GetInterfaceDescription", #"{"interface":"org.todod.feature.\#(feature)"}"#)
            let lines = try #require(try Value(parsing: answer.text)["description"]?.text).split(separator: "\n")
            let actions = lines.drop { !$0.hasPrefix("type Action") }
            return zip(actions, actions.dropFirst()).filter { $0.0.hasSuffix("# Filled in by the daemon.") }
                .map { line in String(line.1.drop { $0 == " " }.prefix { $0 != ":" && $0 != "(" }) }
        }
        let ofTodo = ["id", "created", "completed", "reminded", "origin", "series"]
        #expect(try marked("Todos") == ofTodo + ["reminded", "origin"] + ofTodo + ["ids"])
        #expect(try marked("Views") == ["id", "origin"])
        #expect(try marked("Flows").isEmpty)
    }

    @Test func `a feature is shown with its actions, and an unknown one is refused with a list of features`() throws {
        let daemon = try Daemon.started()
        let counter = try daemon.todoctl("actions", "counter")
        #expect(counter.lines.first == "counter  A whole number that goes up and down.")
        #expect(counter.lines.contains("    todoctl dispatch '{\"counter\":{\"increment\":{}}}'"))
        #expect(!counter.text.contains("shift"), "only the daemon logs this action")
        let unknown = try daemon.todoctl("actions", "nothing")
        #expect(unknown.end == .exit(64) && unknown.error.contains("todos, counter, alerts"), "\(unknown)")
    }

    @Test(arguments: [
        ("bash", #"'{"counter":{"increment":{}}}'"#), ("zsh", #"{"counter"\:{"increment"\:{}}}"#),
        ("fish", #"{"counter":{"increment":{}}}"#),
    ])
    func `a shell completes a dispatch with the daemon's actions in its own quotes`(shell: String, increment: String) throws {
        let daemon = try Daemon.started()
        let asked = ["---completion", "dispatch", "--", "positional@0", "2", "0", "todoctl", "dispatch", ""]
        func candidates(_ words: [String]) throws -> [String] {
            try Command.run([Products.todoctl] + words, environment: ["SAP_SHELL": shell, "TODOD_SOCKET": daemon.socket]).lines
        }
        #expect(try candidates(asked).contains(increment))
        #expect(try !candidates(asked).contains { $0.contains("shift") }, "only the daemon logs this action")
        #expect(try !candidates(asked + ["--socket", "/nowhere"]).contains { $0.contains("counter") })
        // Before the verb, and with bash's word splitting.
        for words in [["--socket", "/nowhere"], ["--socket", "=", "/nowhere"], ["--fork", "none"]] {
            let before = ["---completion", "dispatch", "--", "positional@0", "2", "0", "todoctl"] + words + ["dispatch", ""]
            #expect(try !candidates(before).contains { $0.contains("counter") }, "\(words)")
        }
        let forks = Forks(of: daemon)
        let home = ["HOME": daemon.directory.path]
        #expect(try daemon.todoctl("fork", "try").end == .exit(0))
        #expect(try daemon.stop() == .exit(0))
        let ofFork = ["---completion", "dispatch", "--", "positional@0", "2", "0", "todoctl", "--fork", "try", "dispatch", ""]
        let offered = try Command.run(
            [Products.todoctl] + ofFork,
            environment: ["SAP_SHELL": shell, "TODOD_SOCKET": daemon.socket].merging(home) { $1 })
        #expect(offered.lines.contains(increment), "\(offered)")
        withExtendedLifetime(forks) {}
        try daemon.start()
        let features = ["---completion", "actions", "--", "positional@0", "2", "0", "todoctl", "actions", ""]
        #expect(try candidates(features).contains(shell == "bash" ? "'flows'" : "flows"))
    }

    @Test func `a shell does not wait for a daemon that does not answer`() throws {
        let daemon = try Daemon.started()
        kill(daemon.pid, SIGSTOP)
        let asked = ["---completion", "dispatch", "--", "positional@0", "2", "0", "todoctl", "dispatch", ""]
        let outcome = try Command.run(
            [Products.todoctl] + asked, environment: ["SAP_SHELL": "fish", "TODOD_SOCKET": daemon.socket], seconds: 30)
        #expect(outcome.end == .exit(0) && outcome.text.isEmpty)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a shell completes names that the daemon knows, and none without a daemon`(shell: String) throws {
        let daemon = try Daemon.started()
        let forks = Forks(of: daemon)
        for words in [
            ["counter", "increment"], ["bookmark", "before"], ["follow", "mail", "--once"],
            ["invariant", "add", "positive", "counter.count >= 0"], ["fork", "try"],
        ] {
            let said = try Command.run(
                [Products.todoctl] + words, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
            #expect(said.end == .exit(0), "\(said)")
        }
        func offered(_ verb: [String], _ what: String, socket: String) throws -> [String] {
            let asked = ["---completion"] + verb + ["--", what, "2", "0", "todoctl"] + verb + [""]
            let answer = try Command.run(
                [Products.todoctl] + asked,
                environment: ["SAP_SHELL": shell, "TODOD_SOCKET": socket, "HOME": daemon.directory.path])
            #expect(answer.end == .exit(0) && answer.error.isEmpty, "\(answer)")
            return answer.lines.map { $0.trimmingCharacters(in: ["'"]) }
        }
        let known: [(verb: [String], what: String, name: String)] = [
            (["list"], "--at", "before"), (["log"], "--from", "before"), (["diff"], "positional@0", "before"),
            (["bookmark"], "positional@0", "before"), (["fork", "make"], "--at", "before"), (["fork"], "--at", "before"),
            (["invariant", "remove"], "positional@0", "positive"), (["log"], "--feature", "counter"),
            (["log"], "--action", "counter.increment"), (["follow"], "--action", "todos.add"),
        ]
        for (verb, what, name) in known {
            #expect(try offered(verb, what, socket: daemon.socket).contains(name), "\(verb) \(what)")
            #expect(try !offered(verb, what, socket: "/nowhere").contains(name), "\(verb) \(what)")
        }
        // Forks and positions are files, so they are known without a daemon.
        for (verb, name) in [(["fork", "merge"], "try"), (["fork", "stop"], "try"), (["follow"], "mail")] {
            #expect(try offered(verb, "positional@0", socket: "/nowhere").contains(name), "\(verb)")
        }
        #expect(try offered([], "--fork", socket: "/nowhere").contains("try"))
        withExtendedLifetime(forks) {}
    }
}

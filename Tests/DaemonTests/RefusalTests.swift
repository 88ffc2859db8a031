import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct RefusalTests {
    @Test func `a refusal by a rule is named, and nothing is logged`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        let key = "00000000000000000000000000000001"
        try client.dispatch([Actions.increment], key: key)
        let (sequence, state) = (try client.sequence(), try client.state())

        #expect(try client.refusal([Actions.add("ab")]) == "TitleTooShort")
        #expect(try client.refusal([Actions.add(" ab\t")]) == "TitleTooShort")
        #expect(try client.refusal([Actions.complete(77)]) == "UnknownID")
        #expect(try client.refusal([Actions.remove(77)]) == "UnknownID")
        #expect(try client.refusal([Actions.increment, Actions.add("Take my dog"), Actions.complete(77)]) == "UnknownID")
        #expect(try client.refusal([Actions.increment, Actions.increment], key: key) == "KeyReused")
        #expect(try client.refusal([Actions.increment], key: String(repeating: "k", count: 600)) == "KeyTooLong")
        #expect(try client.refusal([["todos": ["add": ["items": [["title": "Fine", "colour": "red"]]]]]]) == "BadAction")
        #expect(try client.refusal([["todos": ["sing": [:]]]]) == "BadAction")
        #expect(try client.refusal([["todos": ["remove": ["id": 1.5]]]]) == "BadAction")
        #expect(try client.refusal([["music": ["play": [:]]]]) == "UnknownFeature")
        let told = try daemon.todoctl("dispatch", #"{"music": {"play": {}}}"#)
        #expect(
            told.error
                == "todoctl: There is no feature named music; "
                + "there are todos, counter, alerts, posts, stars, repositories, flows, views.\n"
        )
        #expect(try client.refusal([Actions.submit]) == "TitleTooShort")

        var stale = Client.dispatch([Actions.increment]).record ?? []
        stale.append(.init("expectedSequence", 1))
        #expect(Client.short(try client.ask("org.todod.Store.Dispatch", .record(stale))) == "StaleSequence")
        stale.append(.init("scope", "counter"))
        let answer = try client.ask("org.todod.Store.Dispatch", .record(stale))
        #expect(answer.error == "org.todod.Store.StaleSequence")
        #expect(answer.parameters["sequence"] == 2)

        #expect(try client.sequence() == sequence)
        #expect(try client.state() == state)
        // An action with a key that was refused is decided again.
        let fresh = "00000000000000000000000000000002"
        #expect(try client.refusal([Actions.complete(2)], key: fresh) == "UnknownID")
        try client.dispatch([Actions.add("Take my dog")])
        #expect(try client.refusal([Actions.complete(2)], key: fresh) == "")
        #expect(try client.refusal([Actions.complete(2)], key: fresh) == "")
        #expect(try client.sequence() == sequence + 2)
    }

    @Test func `an unchanged scope accepts an older expected sequence`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk")])
        try client.dispatch([Actions.increment])
        let call: Value = [
            "actions": [Actions.complete(1)], "expectedSequence": 1, "scope": "todos",
        ]
        #expect(Client.short(try client.ask("org.todod.Store.Dispatch", call)) == "")
        #expect(Client.short(try client.ask("org.todod.Store.Dispatch", call)) == "StaleSequence")
    }

    @Test func `a key is looked up before the expected sequence`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let call: Value = ["actions": [Actions.increment], "key": "the same", "expectedSequence": 0]
        let first = try Client.Answer(client.call("org.todod.Store.Dispatch", call))
        try client.dispatch([Actions.increment])
        let again = try Client.Answer(client.call("org.todod.Store.Dispatch", call))
        #expect(again.sequences == first.sequences)
        #expect(again.isDuplicate)
    }

    @Test func `one of two clients that remove the first row at once is refused for its outdated list`()
        throws
    {
        let daemon = try Daemon.started()
        let (one, two) = (try daemon.connect(), try daemon.connect())
        try one.dispatch([Actions.add("Buy the milk", "Take my dog", "Rent a car")])
        let call: Value = [
            "actions": [["todos": ["remove": ["index": 0]]]], "expectedSequence": 1, "scope": "todos.items",
        ]
        try one.send("org.todod.Store.Dispatch", call)
        try two.send("org.todod.Store.Dispatch", call)
        let names = [Client.short(try one.receive()), Client.short(try two.receive())]
        #expect(names.contains(""))
        #expect(names.contains("StaleSequence") || names.contains("StaleIndex"), "\(names)")
        #expect(try one.state("todos.items").titles == ["Take my dog", "Rent a car"])
    }

    @Test func `a counter stays at its limit`() throws {
        let directory = TemporaryDirectory()
        let state = try directory.write(
            #"{"epoch":1,"sequence":7,"state":{"counter":{"count":9007199254740991}}}"#, to: "state.json")
        let daemon = try Daemon.started(flags: ["--ephemeral", "--state", state])
        let client = try daemon.connect()
        let sequence = try client.sequence()
        #expect(try client.refusal([Actions.increment]).hasPrefix("CounterAt"))
        #expect(try client.sequence() == sequence)
        #expect(try client.state("counter")["counter"]?["count"] == 9_007_199_254_740_991)
        #expect(try client.refusal([["counter": ["decrement": [:]]]]) == "")
        #expect(try client.state("counter")["counter"]?["count"] == 9_007_199_254_740_990)
        #expect(try daemon.todoctl("counter", "increment").text == "The counter is at 9007199254740991.\n")
        #expect(try daemon.todoctl("counter", "increment").end == .exit(1))
    }

    @Test(arguments: [
        ["log", "--action", "todo.addd"], ["log", "--follow", "--action", "todo.addd"],
        ["log", "--follow", "--from", "1", "--action", "todo.addd"], ["follow", "mail", "--action", "todo.addd"],
        ["log", "--feature", "todos", "--action", "addd"],
    ])
    func `an unknown action is refused with a suggestion`(words: [String]) throws {
        let daemon = try Daemon.started()
        let told = try Command.run(
            [Products.todoctl] + words, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
        #expect(told.end == .exit(64) && told.error.contains("did you mean "), "\(told)")
        #expect(told.error.contains("add?") && told.output.isEmpty, "\(told)")
    }

    @Test(arguments: [
        (["log", "--feature", "todo"], "todos"), (["actions", "todo"], "todos"), (["view", "count"], "counter"),
        (["debug", "on", "todo"], "todos"), (["state", "todos.item"], "todos.items"),
        (["follow", "mail", "--feature", "todo"], "todos, todos.draft or todos.items"),
    ])
    func `an unknown feature is refused with a suggestion`(words: [String], meant: String) throws {
        let daemon = try Daemon.started()
        let told = try Command.run(
            [Products.todoctl] + words, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
        #expect(told.end == .exit(64) && told.error.contains("did you mean \(meant)?"), "\(told)")
    }

    @Test(arguments: [
        (["dispatch", #"{"counter": {"incremnt": {}}}"#], "counter.incremnt", "increment"),
        (["dispatch", #"{"todos": {"add": {"items": [{"title": "Milk", "nots": "x"}]}}}"#], "items[0].nots", "note"),
        (["log", "--where", "any(todo in new.todos.items: todo.titel == 'x')"], "Column 35: ", "title"),
        (["bisect", "--where", "count(todos.itms) > 1"], "Column 13: ", "items"),
    ])
    func `an unknown name within an action or a condition is reported with its position and a suggestion`(
        words: [String], place: String, meant: String
    ) throws {
        let daemon = try Daemon.started()
        let told = try Command.run([Products.todoctl] + words, environment: ["TODOD_SOCKET": daemon.socket])
        #expect(told.end == .exit(64) && told.error.contains(place), "\(told)")
        #expect(told.error.contains("; did you mean \(meant)?\n"), "\(told)")
    }

    @Test func `an action without a name is refused with a reference to the list of actions`() throws {
        let daemon = try Daemon.started()
        let told = try daemon.todoctl("call", "--more", "History.Log", #"{"action": ""}"#)
        #expect(told.error.contains("The name of the action is empty: \"\".\nTo see all: todoctl actions\n"), "\(told)")
    }

    @Test func `every error of a refusal is declared by the store or by the feature`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        var declared: Set<String> = []
        let interfaces = try client.call("org.varlink.service.GetInfo", [:])["interfaces"]?.list?.compactMap(\.text) ?? []
        for name in interfaces {
            let answer = try client.call("org.varlink.service.GetInterfaceDescription", ["interface": .text(name)])
            for line in answer["description"]?.text?.split(separator: "\n") ?? [] where line.hasPrefix("error ") {
                declared.insert(name + "." + (line.split(separator: " ").dropFirst().first ?? ""))
            }
        }
        try client.dispatch([Actions.add("Buy the milk")])
        let bad: [Value] = [
            Actions.add("ab"), Actions.complete(9), ["todos": ["remove": ["index": 9]]], ["alerts": ["dismiss": ["id": 9]]],
            ["posts": ["more": [:]]], ["stars": ["press": ["id": ""]]], ["repositories": ["browse": ["language": "x"]]],
            ["flows": ["start": ["kind": "x"]]], ["flows": ["cancel": ["id": 9]]], ["views": ["remove": ["id": 9]]],
            ["todos": ["loadFailed": ["reason": "x"]]], ["todos": ["add": ["items": [["title": "Fine", "priority": 4]]]]],
            ["todos": ["add": ["items": [["title": "Fine", "due": "2026-02-30"]]]]], [:], ["todos": [:]],
            ["todos": ["complete": [:]]], ["counter": ["increment": ["by": 2]]],
        ]
        for action in bad {
            let reply = try client.ask("org.todod.Store.Dispatch", Client.dispatch([action]))
            let name = try #require(reply.error, "\(action) was accepted")
            #expect(declared.contains(name), "\(name) for \(action)")
            #expect(reply.parameters["message"]?.text?.isEmpty == false, "\(reply)")
        }
        for (link, name) in [("x", "BadLink"), ("todod:/x", "UnknownLink")] {
            let error = try client.ask("org.todod.Store.Open", ["link": .text(link)]).error ?? ""
            #expect(error == "org.todod.feature." + name && declared.contains(error))
        }
        #expect(try client.sequence() == 1)
    }
}

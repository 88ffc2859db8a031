import ChronicleLog
import DiskLog
import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct KeptSubscriptionTests {
    private func set(_ name: String, _ client: Client, _ wanted: Value = [:]) throws {
        let input = [.init("name", .text(name))] + (wanted.record ?? [])
        _ = try client.call("org.todod.Store.SetSubscription", .record(input))
    }

    private func follow(_ name: String, _ daemon: Daemon) throws -> Client {
        let reader = try daemon.connect()
        try reader.send("org.todod.Store.Follow", ["name": .text(name)], more: true)
        return reader
    }

    private func acknowledge(_ name: String, _ sequence: Int64, _ client: Client) throws {
        _ = try client.call("org.todod.Store.Acknowledge", ["name": .text(name), "sequence": .int(sequence)])
    }

    /// The records up to the end of the log, and what is to be acknowledged then.
    private func caughtUp(_ reader: Client) throws -> (records: [Int64], sequence: Int64?) {
        var found: [Int64] = []
        while true {
            let item = try Client.result(reader.receive())
            found += (item["records"]?.list ?? []).compactMap { $0["sequence"]?.int }
            if item["caughtUp"] == true { return (found, item["sequence"]?.int) }
        }
    }

    private func standing(_ client: Client) throws -> Value? {
        try client.call("org.todod.Store.Subscriptions")["subscriptions"]?.list?.first
    }

    @Test func `one whose row is damaged is told of, and all else goes on`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.increment])
        for name in ["mail", "list"] { try set(name, client, ["from": ["bookmark": "start"]]) }
        #expect(try daemon.stop() == .exit(0))
        try daemon.tear(behind: "subscription/mail")
        let checked = try Command.run([Products.todod, "--verify", "--data", daemon.data])
        #expect(checked.end == .exit(65) && checked.text.contains("the row of the subscription mail"), "\(checked)")
        try daemon.start()
        #expect(try caughtUp(follow("list", daemon)).records == [1])
        for words in [["subscription"], ["status"]] {
            let told = try Command.run([Products.todoctl] + words, environment: ["TODOD_SOCKET": daemon.socket])
            #expect(told.text.contains("damaged: nothing but its name is known"), "\(told)")
        }
        let refused = try daemon.todoctl("follow", "mail")
        #expect(refused.end == .exit(65) && refused.error.contains("todoctl subscription remove NAME"), "\(refused)")
        #expect(try daemon.todoctl("metrics").text.contains(#"subscription_lag_records{name="list"}"#))
        #expect(try daemon.todoctl("verify").end == .exit(65))
        let unsaid = try daemon.todoctl("subscription", "add", "mail")
        #expect(unsaid.end == .exit(65) && unsaid.error.contains("--from POINT"), "\(unsaid)")
        #expect(try daemon.todoctl("subscription", "add", "mail", "--from", "start").end == .exit(0))
        #expect(try caughtUp(follow("mail", daemon)).records == [1])
        #expect(try daemon.todoctl("verify").end == .exit(0))
    }

    @Test(arguments: [false, true])
    func `what was acknowledged does not come again, and what was not does`(crash: Bool) throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<600 { try client.dispatch([Actions.increment]) }
        try set("mail", client, ["from": ["bookmark": "start"]])
        let reader = try follow("mail", daemon)
        let first = try caughtUp(reader)
        #expect(first.records == Array(1...600) && first.sequence == 600)
        try acknowledge("mail", 597, client)
        // What comes now comes to who follows.
        try client.dispatch([Actions.increment])
        #expect(try caughtUp(reader).records == [601])
        if crash { try daemon.kill() } else { #expect(try daemon.stop() == .exit(0)) }
        try daemon.start()
        let again = try follow("mail", daemon)
        #expect(try caughtUp(again).records == Array(598...601))
        try acknowledge("mail", 601, try daemon.connect())
        try daemon.crash()
        #expect(try caughtUp(follow("mail", daemon)) == ([], 601))
        let checked = try daemon.todoctl("verify")
        #expect(checked.end == .exit(0) && checked.text.contains("subscriptions 1"), "\(checked)")
    }

    @Test func `who wants little is told how far it is, and is not behind for ever`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try set("mail", client, ["feature": "todos", "actions": ["add", "todos.remove"]])
        let reader = try follow("mail", daemon)
        #expect(try caughtUp(reader) == ([], 0))
        try client.dispatch([Actions.increment, Actions.increment])
        #expect(try standing(client)?["lag"] == 2 && standing(client)?["since"] != nil)
        #expect(try caughtUp(reader) == ([], 2))
        try acknowledge("mail", 2, client)
        #expect(try standing(client)?["lag"] == 0 && standing(client)?["since"] == nil)
        try client.dispatch([Actions.add("Buy the milk"), Actions.complete(1), Actions.remove(1)])
        #expect(try caughtUp(reader) == ([3, 5], 5))
        #expect(try client.metrics()[#"todod_subscription_lag_records{name="mail"}"#] == 3)
        let status = try daemon.todoctl("status").text
        #expect(status.contains("mail: 3 records behind since") && status.contains("followed by process"), "\(status)")
        let listed = try daemon.todoctl("subscription").text
        #expect(listed.contains("wants feature todos, actions add, todos.remove"), "\(listed)")
        #expect(try daemon.todoctl("subscription", "remove", "mail").end == .exit(0))
        #expect(try client.metrics()[#"todod_subscription_lag_records{name="mail"}"#] == nil)
        #expect(try client.status()["subscriptions"] == nil)
    }

    @Test func `with a condition only what it holds for is told, and nothing is looked at twice`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let made = try daemon.todoctl(
            "subscription", "add", "mail", "--where", "new.counter.count % 500 == 0 and counter.count > 0")
        #expect(made.text.contains("wants where new.counter.count % 500 == 0"), "\(made)")
        for _ in 0..<3 { try client.dispatch(Array(repeating: Actions.increment, count: 400)) }
        let reader = try follow("mail", daemon)
        #expect(try caughtUp(reader) == ([500, 1_000], 1_200))
        try acknowledge("mail", 1_200, client)
        #expect(try standing(client)?["lag"] == 0)
        #expect(try standing(client)?["where"] == "new.counter.count % 500 == 0 and counter.count > 0")
        #expect(try daemon.todoctl("subscription").text.contains("wants where new.counter.count % 500"))
        // What comes now is judged by the state before it.
        try set("mail", client, ["where": "count(new.todos.items) > count(old.todos.items) and record.uid >= 0"])
        let second = try follow("mail", daemon)
        #expect(try caughtUp(second) == ([], 1_200))
        try client.dispatch([Actions.increment, Actions.add("Buy the milk"), Actions.complete(1)])
        var found: [Int64] = []
        while found.isEmpty {
            found = try (Client.result(second.receive())["records"]?.list ?? []).compactMap { $0["sequence"]?.int }
        }
        #expect(found == [1_202])
        #expect(try daemon.stop() == .exit(0))
        try daemon.start()
        let again = try caughtUp(follow("mail", daemon))
        #expect(again == ([1_202], 1_203))
    }

    @Test func `what nothing can fit, or nobody can read, is refused when it is set`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let long = String(repeating: "not ", count: 20) + String(repeating: " ", count: 433)
        let wrong: [(Value, String)] = [
            (["where": "counter.coun > 3"], "BadExpression"), (["where": "counter.count >"], "BadExpression"),
            (["where": .text(long)], "BadSubscription"),
            (["feature": "counter", "actions": ["todos.add", "todos.remove"]], "UnknownAction"),
            (["actions": ["add", "ad"]], "UnknownAction"), (["actions": ["todo.add"]], "UnknownAction"),
            (["feature": "counter", "actions": ["add"]], "UnknownAction"),
        ]
        for (wanted, error) in wrong {
            let input = [.init("name", "mail")] + (wanted.record ?? [])
            let reply = try client.ask("org.todod.Store.SetSubscription", .record(input))
            #expect(Client.short(reply) == error, "\(wanted): \(reply)")
        }
        let refused = try daemon.todoctl("subscription", "add", "mail", "--feature", "counter", "--action", "todos.add")
        let sentence = "There is no action named todos.add in counter; there are counter.increment, counter.decrement"
        #expect(refused.end == .exit(64) && refused.error.contains(sentence), "\(refused)")
        let tooLong = try daemon.todoctl("subscription", "add", "mail", "--where", long)
        #expect(tooLong.end == .exit(64) && tooLong.error.contains("512 bytes"), "\(tooLong)")
        for words in [["--feature", "counter", "--action", "add"], ["--action", "counter.ad"]] {
            let misspelt = try Command.run(
                [Products.todoctl, "subscription", "add", "mail"] + words, environment: ["TODOD_SOCKET": daemon.socket])
            #expect(misspelt.end == .exit(64) && misspelt.error.contains("counter.increment, counter.decrement"), "\(misspelt)")
            #expect(!misspelt.error.contains("todos"), "\(misspelt)")
        }
        #expect(try standing(client) == nil)
    }

    @Test func `one of another release goes on, and what it names that there is not is told`() throws {
        let daemon = try Daemon(environment: Daemon.ownLog)
        do {
            let log = try LMDBActionLog.open(directory: daemon.data)
            var flush = Flush(after: log.head)
            for (name, filter) in [
                ("mail", RecordFilter(feature: "todos", actions: ["adopt", "add"])), ("tunes", RecordFilter(feature: "music")),
                ("work", RecordFilter(actions: ["increment"])),
            ] {
                flush.set(SubscriptionRow(name: name, position: 0, owner: getuid(), filter: filter))
            }
            try log.append(flush)
        }
        try daemon.start()
        let client = try daemon.connect()
        try client.dispatch([Actions.increment, Actions.add("Buy the milk")])
        #expect(try caughtUp(follow("mail", daemon)) == ([2], 2))
        #expect(try caughtUp(follow("tunes", daemon)) == ([], 2))
        let all = try client.call("org.todod.Store.Subscriptions")["subscriptions"]?.list ?? []
        #expect(all.map { $0["unknown"] } == [["adopt"], ["music"], nil])
        let listed = try daemon.todoctl("subscription").lines
        #expect(listed.map { $0.contains("not known here: ") } == [true, true, false], "\(listed)")
        #expect(try daemon.todoctl("verify").end == .exit(0))
    }

    @Test func `one follows at a time, and is told why it does so no more`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try set("mail", client)
        func ended(_ reader: Client) throws -> String? {
            var reply = try reader.receive()
            while reply.error == nil { reply = try reader.receive() }
            return reply.error == "org.todod.Store.SubscriptionEnded" ? reply.parameters["message"]?.text : reply.error
        }
        let first = try follow("mail", daemon)
        _ = try caughtUp(first)
        let second = try follow("mail", daemon)
        #expect(try ended(first)?.contains("follows mail now") == true)
        _ = try caughtUp(second)
        try set("mail", client, ["feature": "counter"])
        #expect(try ended(second)?.contains("was changed by uid") == true)
        let third = try follow("mail", daemon)
        _ = try caughtUp(third)
        _ = try client.call("org.todod.Store.RemoveSubscription", ["name": "mail"])
        #expect(try ended(third)?.contains("was removed by uid") == true)
        #expect(try Client.short(follow("mail", daemon).receive()) == "UnknownSubscription")
        for (wrong, error) in [("2nd", "BadSubscription"), ("", "BadSubscription")] {
            let reply = try client.ask("org.todod.Store.SetSubscription", ["name": .text(wrong)])
            #expect(Client.short(reply) == error)
        }
        let unknown = try client.ask("org.todod.Store.SetSubscription", ["name": "mail", "feature": "todo"])
        #expect(Client.short(unknown) == "UnknownFeature")
    }

    @Test func `what was compacted away before it was acknowledged is named, and gone on behind`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<20 { try client.dispatch([Actions.increment]) }
        try set("mail", client, ["from": ["sequence": 5]])
        let before: Value = ["before": ["sequence": 10]]
        let base = try #require(try client.call("org.todod.History.Compact", before)["base"]?.int)
        let reply = try follow("mail", daemon).receive()
        #expect(reply.error == "org.todod.Store.SubscriptionPruned", "\(reply)")
        #expect(reply.parameters["first"] == 5 && reply.parameters["last"]?.int == base)
        #expect(try standing(client)?["gone"]?.int == base - 4)
        let refused = try daemon.todoctl("follow", "mail", "--once")
        #expect(refused.end == .exit(1) && refused.error.contains("todoctl subscription skip"), "\(refused)")
        #expect(try daemon.todoctl("subscription", "skip", "mail", "\(base)").end == .exit(0))
        let followed = try daemon.todoctl("follow", "mail", "--once")
        #expect(followed.lines.count == Int(20 - base), "\(followed)")
        #expect(try standing(client)?["lag"] == 0)
    }

    @Test func `a backup has it as it was, and what was of the other log can't be acknowledged`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<5 { try client.dispatch([Actions.increment]) }
        try set("mail", client, ["from": ["sequence": 3]])
        let epoch = try #require(try client.status()["epoch"])
        #expect(try daemon.todoctl("backup", daemon.directory.path + "/backup").end == .exit(0))
        try acknowledge("mail", 5, client)
        #expect(try daemon.stop() == .exit(0))
        daemon.data = daemon.directory.path + "/copy"
        let restored = try Command.run([Products.todod, "--restore", daemon.directory.path + "/backup", "--data", daemon.data])
        #expect(restored.end == .exit(0), "\(restored)")
        try daemon.start()
        let other = try daemon.connect()
        let reply = try other.ask("org.todod.Store.Acknowledge", ["name": "mail", "sequence": 5, "epoch": epoch])
        #expect(Client.short(reply) == "EpochChanged")
        #expect(try caughtUp(follow("mail", daemon)).records.prefix(3) == [3, 4, 5])
    }

    /// The sequences of the records in a file of JSON lines.
    private func sequences(in path: String) throws -> [Int64] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        // The last may be half written.
        let whole = text.lastIndex(of: "\n").map { text[..<$0] } ?? ""
        return try whole.split(separator: "\n").compactMap { try Value(parsing: String($0))["sequence"]?.int }
    }

    @Test func `a program is run for each record, and one at which it fails is not passed over`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<5 { try client.dispatch([Actions.increment]) }
        try set("mail", client, ["from": ["sequence": 1]])
        let file = daemon.directory.path + "/done"
        let script = #"read -r line; case $line in '{"sequence":3,'*) exit 3;; esac; echo "$line" >> "$0""#
        for words in [["--exec="], ["--exec"], ["--exec", ""], ["--exec=", "sh"]] {
            let unset = try Command.run(
                [Products.todoctl, "follow", "mail", "--once"] + words, environment: ["TODOD_SOCKET": daemon.socket])
            #expect(try unset.end == .exit(64) && standing(client)?["position"] == 0, "\(unset)")
        }
        let failed = try daemon.todoctl("follow", "mail", "--once", "--attempts", "2", "--exec", "sh", "-c", script, file)
        #expect(failed.end == .exit(75), "\(failed)")
        #expect(failed.error.contains("record 3: it ended with status 3") && failed.error.contains("skip mail 3"), "\(failed)")
        #expect(try sequences(in: file) == [1, 2] && standing(client)?["position"] == 2)
        #expect(try daemon.todoctl("subscription", "skip", "mail", "3").end == .exit(0))
        let rest = try daemon.todoctl("follow", "mail", "--once", "--exec", "sh", "-c", script, file)
        #expect(rest.end == .exit(0), "\(rest)")
        #expect(try sequences(in: file) == [1, 2, 4, 5] && standing(client)?["lag"] == 0)
        let missing = try daemon.todoctl("follow", "mail", "--once", "--attempts", "1", "--exec", "/no/such/program")
        #expect(missing.end == .exit(0), "there is nothing to do: \(missing)")
        try client.dispatch([Actions.increment])
        let none = try daemon.todoctl("follow", "mail", "--once", "--attempts", "1", "--exec", "/no/such/program")
        #expect(none.end == .exit(75) && none.error.contains("can't be run"), "\(none)")
    }

    @Test func `whoever dies in between, every record is worked off at least once and in order`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try set("mail", client)
        let file = daemon.directory.path + "/done"
        let words = ["follow", "mail", "--exec", "sh", "-c", #"cat >> "$0""#, file]
        func started() throws -> LiveProgram {
            try LiveProgram(
                [Products.todoctl] + words, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
        }
        for round in 1...3 {
            let program = try started()
            for _ in 0..<20 { try daemon.connect().dispatch([Actions.increment]) }
            // Somewhere in the middle.
            while try sequences(in: file).count < round * 10 { sched_yield() }
            if round == 2 { try daemon.crash() }
            withExtendedLifetime(program) {}
        }
        let rest = try daemon.todoctl("follow", "mail", "--once", "--exec", "sh", "-c", #"cat >> "$0""#, file)
        #expect(rest.end == .exit(0), "\(rest)")
        var seen: [Int64] = []
        for sequence in try sequences(in: file) where !seen.contains(sequence) { seen.append(sequence) }
        #expect(seen == Array(1...60))
        #expect(try standing(daemon.connect())?["lag"] == 0)
    }
}

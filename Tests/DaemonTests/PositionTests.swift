import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Subscriptions to records with a filter, and the positions that `todoctl follow` stores.
@Suite(.ownThreads) struct PositionTests {
    private func subscribe(_ filter: Value, _ daemon: Daemon) throws -> Client {
        let reader = try daemon.connect()
        try reader.send(
            "org.todod.Store.Subscribe", .record([.init("kind", "records")] + (filter.record ?? [])), more: true)
        return reader
    }

    /// The records up to a sequence that is reported.
    private func records(of reader: Client, through last: Int64) throws -> [Int64] {
        var found: [Int64] = []
        while true {
            let item = try Client.result(reader.receive())
            found += (item["records"]?.list ?? []).compactMap { $0["sequence"]?.int }
            if let reached = item["sequence"]?.int, reached >= last { return found }
        }
    }

    /// The sequences of the JSON lines in a text, whose last one may be incomplete.
    private func sequences(_ text: String) throws -> [Int64] {
        let whole = text.lastIndex(of: "\n").map { text[..<$0] } ?? ""
        return try whole.split(separator: "\n").compactMap { try Value(parsing: String($0))["sequence"]?.int }
    }

    private func sequences(in file: String) throws -> [Int64] {
        try sequences((try? String(contentsOfFile: file, encoding: .utf8)) ?? "")
    }

    @Test func `a filter selects records, and the position is reported without them`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let reader = try subscribe(["scope": "todos", "actions": ["add", "todos.remove"]], daemon)
        #expect(try records(of: reader, through: 0) == [])
        try client.dispatch([Actions.increment, Actions.increment])
        #expect(try records(of: reader, through: 2) == [])
        try client.dispatch([Actions.add("Buy the milk"), Actions.complete(1), Actions.remove(1)])
        #expect(try records(of: reader, through: 5) == [3, 5])
        let again = try subscribe(["from": ["sequence": 4], "scope": "todos", "actions": []], daemon)
        #expect(try records(of: again, through: 5) == [4, 5])
        let mine = try subscribe(["from": ["sequence": 2], "origin": .int(Int64(getuid()))], daemon)
        #expect(try records(of: mine, through: 5) == [2, 3, 4, 5])
        #expect(try records(of: subscribe(["from": ["sequence": 1], "origin": 4_000_000_000], daemon), through: 5) == [])
    }

    @Test func `a condition selects records before and after the subscription begins`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<3 { try client.dispatch(Array(repeating: Actions.increment, count: 400)) }
        let condition: Value = "new.counter.count % 500 == 0 and counter.count > 0"
        let reader = try subscribe(["from": ["sequence": 1], "where": condition], daemon)
        #expect(try records(of: reader, through: 1_200) == [500, 1_000])
        // The condition is evaluated on new records with the state before them.
        let second = try subscribe(
            ["where": "count(new.todos.items) > count(old.todos.items) and record.uid >= 0", "scope": "todos"], daemon)
        #expect(try records(of: second, through: 1_200) == [])
        try client.dispatch([Actions.increment, Actions.add("Buy the milk"), Actions.complete(1)])
        #expect(try records(of: second, through: 1_203) == [1_202])
        #expect(try records(of: reader, through: 1_203) == [])
    }

    @Test func `a filter that can match nothing, or is not for records, is refused`() throws {
        let daemon = try Daemon.started()
        let wrong: [(Value, String)] = [
            (["kind": "records", "where": "counter.coun > 3"], "BadExpression"),
            (["kind": "records", "where": "counter.count >"], "BadExpression"),
            (["kind": "records", "scope": "counter", "actions": ["todos.add", "todos.remove"]], "UnknownAction"),
            (["kind": "records", "actions": ["add", "ad"]], "UnknownAction"),
            (["kind": "records", "scope": "counter", "actions": ["add"]], "UnknownAction"),
            (["kind": "records", "actions": .list(Array(repeating: "add", count: 65))], "InvalidParameter"),
            (["actions": ["add"]], "InvalidParameter"), (["origin": 1], "InvalidParameter"),
            (["where": "true"], "InvalidParameter"),
            (["kind": "records", "actions": [], "epoch": 1, "from": ["sequence": 1]], "EpochChanged"),
            (["kind": "records", "actions": [], "from": ["sequence": 2]], "FutureSequence"),
        ]
        for (input, error) in wrong {
            let reply = try daemon.connect().ask("org.todod.Store.Subscribe", input, more: true)
            #expect(Client.short(reply) == error, "\(input): \(reply)")
        }
        let refused = try daemon.todoctl("follow", "mail", "--feature", "counter", "--action", "todos.add")
        let sentence = "There is no action named todos.add in counter; there are counter.increment, counter.decrement"
        #expect(refused.end == .exit(64) && refused.error.contains(sentence), "\(refused)")
        #expect(try daemon.todoctl("follow", "2nd").end == .exit(64) && daemon.todoctl("follow", "a/b").end == .exit(64))
    }

    @Test(arguments: [false, true]) func `follow continues with the filter after the last record that it showed`(crash: Bool)
        throws
    {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<600 { try client.dispatch([Actions.increment]) }
        func follow(_ words: String...) throws -> [Int64] {
            let shown = try Command.run(
                [Products.todoctl, "follow", "mail", "--once", "--json"] + words,
                environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
            #expect(shown.end == .exit(0), "\(shown)")
            return try shown.lines.flatMap { try Value(parsing: $0)["records"]?.list ?? [] }.compactMap { $0["sequence"]?.int }
        }
        #expect(try follow("--from", "start", "--action", "increment") == Array(1...600))
        try client.dispatch([Actions.increment, Actions.add("Buy the milk"), Actions.increment])
        if crash { try daemon.kill() } else { #expect(try daemon.stop() == .exit(0)) }
        try daemon.start()
        #expect(try follow() == [601, 603])
        #expect(try follow() == [])
        #expect(try follow("--from", "601") == [601, 603] && follow("--from", "now") == [])
        try daemon.connect().dispatch([Actions.increment, Actions.complete(1)])
        #expect(try follow("--feature", "todos") == [605])
    }

    @Test func `follow names the remedy if it can't continue`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<20 { try client.dispatch([Actions.increment]) }
        #expect(try daemon.todoctl("follow", "mail", "--once", "--from", "now").end == .exit(0))
        let path = daemon.directory.path + "/.local/state/todoctl-positions/mail"
        func place(_ sequence: Int64, epoch: Int64) throws {
            let call: Value = ["from": ["sequence": .int(sequence)], "kind": "records", "epoch": .int(epoch), "actions": []]
            try "\(call)".write(toFile: path, atomically: true, encoding: .utf8)
        }
        func refused() throws -> String {
            let told = try daemon.todoctl("follow", "mail", "--once")
            #expect(told.end == .exit(1) && told.error.contains("todoctl follow mail --from now"), "\(told)")
            return told.error
        }
        let epoch = try #require(try client.status()["epoch"]?.int)
        try place(5, epoch: epoch + 1)
        #expect(try refused().contains("in epoch \(epoch) now"))
        try place(30, epoch: epoch)
        #expect(try refused().contains("continues with record 30, but the log ends with record 20"))
        let before: Value = ["before": ["sequence": 10]]
        let base = try #require(try client.call("org.todod.History.Compact", before)["base"]?.int)
        for next in [5, base] {
            try place(next, epoch: epoch)
            #expect(
                try refused().contains("Records \(next) to \(base) were compacted before mail read them. They are in archive-"))
        }
        let rest = try daemon.todoctl("follow", "mail", "--once", "--from", "start")
        #expect(rest.end == .exit(0) && rest.lines.count == Int(20 - base), "\(rest)")
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        let damaged = try daemon.todoctl("follow", "mail", "--once")
        #expect(damaged.end == .exit(65) && damaged.error.contains("Remove it"), "\(damaged)")
    }

    @Test func `a program runs for each record, and a record at which it fails is repeated`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for _ in 0..<5 { try client.dispatch([Actions.increment]) }
        let file = daemon.directory.path + "/done"
        let script = #"read -r line; case $line in '{"sequence":3,'*) exit 3;; esac; echo "$line" >> "$0""#
        for words in [["--exec="], ["--exec"], ["--exec", ""], ["--exec=", "sh"]] {
            let unset = try Command.run(
                [Products.todoctl, "follow", "mail", "--once"] + words,
                environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
            #expect(unset.end == .exit(64), "\(unset)")
        }
        let failed = try daemon.todoctl(
            "follow", "mail", "--from", "start", "--once", "--attempts", "2", "--exec", "sh", "-c", script, file)
        #expect(failed.end == .exit(75), "\(failed)")
        #expect(
            failed.error.contains("record 3: it ended with status 3") && failed.error.contains("follow mail --from 4"),
            "\(failed)")
        #expect(try sequences(in: file) == [1, 2])
        let again = try daemon.todoctl("follow", "mail", "--once", "--attempts", "1", "--exec", "sh", "-c", script, file)
        #expect(try again.end == .exit(75) && sequences(in: file) == [1, 2], "\(again)")
        let rest = try daemon.todoctl("follow", "mail", "--from", "4", "--once", "--exec", "sh", "-c", script, file)
        #expect(try rest.end == .exit(0) && sequences(in: file) == [1, 2, 4, 5], "\(rest)")
        let idle = try daemon.todoctl("follow", "mail", "--from", "6", "--once", "--exec", "/no/such/program")
        #expect(idle.end == .exit(0), "no record is left: \(idle)")
        try client.dispatch([Actions.increment])
        let none = try daemon.todoctl("follow", "mail", "--once", "--attempts", "1", "--exec", "/no/such/program")
        #expect(none.end == .exit(75) && none.error.contains("can't be run"), "\(none)")
    }

    @Test func `every record is processed at least once and in order, whatever is killed`() throws {
        let daemon = try Daemon.started()
        let file = daemon.directory.path + "/done"
        let words = ["follow", "mail", "--exec", "sh", "-c", #"cat >> "$0""#, file]
        #expect(try daemon.todoctl("follow", "mail", "--once").end == .exit(0))
        for round in 1...3 {
            let program = try LiveProgram(
                [Products.todoctl] + words, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
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
    }

    @Test func `only one process at a time can follow under a name`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.increment])
        let program = try LiveProgram(
            [Products.todoctl, "follow", "mail", "--from", "start"],
            environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
        #expect(try program.line() != nil)
        let second = try daemon.todoctl("follow", "mail", "--once")
        #expect(second.end == .exit(75) && second.error.contains("Another process follows mail"), "\(second)")
        #expect(try daemon.todoctl("follow", "list", "--once").end == .exit(0))
        withExtendedLifetime(program) {}
    }
}

import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct ForkTests {
    @Test func `a fork begins with a copy of the log, and its changes affect no other log`() throws {
        let daemon = try Daemon.started()
        for title in ["Milk", "Bread", "Butter"] { #expect(try daemon.todoctl("add", title).end == .exit(0)) }
        let before = try daemon.connect().log()
        let forks = Forks(of: daemon)
        let made = try daemon.todoctl("fork", "try", "--at", "2")
        #expect(made.end == .exit(0) && made.lines.first?.hasPrefix("try  from record 2, ") == true, "\(made)")
        #expect(made.text.contains("todoctl --fork try list"))
        let early = try daemon.todoctl("fork", "later", "--at", "tomorrow")
        #expect(early.end != .exit(0) && early.error.contains("moments from 0 to 3"), "\(early)")
        #expect(try forks.names() == ["try"])
        #expect(try daemon.todoctl("--fork", "try", "list").text == "2 todos\n2 [ ] Bread\n1 [ ] Milk\n")
        #expect(try daemon.todoctl("--fork", "try", "add", "Cheese").text == "Added 3: Cheese\n")
        #expect(try daemon.todoctl("list", environment: ["TODOD_FORK": "try"]).text.contains("Cheese"))
        #expect(try daemon.connect().log() == before)

        let fork = try forks.client("try")
        #expect(Array(try fork.log().prefix(2)) == Array(before.prefix(2)))
        #expect(try fork.log(from: 3).map { $0["kind"]?.text } == ["hold", "action"])
        let told = try fork.status()["fork"]
        #expect(told?["name"] == "try" && told?["sequence"] == 2 && told?["socket"]?.text == daemon.socket)
        #expect(told?["time"] == before[1]["time"])
        #expect(try daemon.connect().status()["fork"] == nil)
        let status = try daemon.todoctl("--fork", "try", "status")
        #expect(status.lines.first?.hasPrefix("fork        try, of \(daemon.socket) at record 2, ") == true, "\(status)")
        let head = try daemon.todoctl("--fork", "try", "verify", "--head", told?["head"]?.text ?? "")
        #expect(head.end == .exit(0), "\(head)")
        #expect(try forks.modes("try") == [0o700, 0o700])
    }

    @Test func `forks are listed, stopped, started and removed`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Milk").end == .exit(0))
        let forks = Forks(of: daemon)
        #expect(try daemon.todoctl("fork", "list").text == "")
        #expect(try daemon.todoctl("fork", "try").end == .exit(0))
        #expect(try daemon.todoctl("fork", "empty", "--at", "0").end == .exit(0))
        let again = try daemon.todoctl("fork", "try")
        #expect(again.end == .exit(1) && again.error.contains("todoctl fork remove try"), "\(again)")
        #expect(try daemon.todoctl("--fork", "try", "add", "Bread").end == .exit(0))

        #expect(try daemon.todoctl("fork", "stop", "try").lines.first?.hasSuffix("; stopped") == true)
        let away = try daemon.todoctl("--fork", "try", "list")
        #expect(away.end == .exit(69) && away.error.contains("todoctl fork start try"), "\(away)")
        let listed = try daemon.todoctl("fork", "list").lines
        #expect(listed.first == "empty  from record 0, 0 records since")
        #expect(listed.count == 2 && listed.last?.hasSuffix("; stopped") == true, "\(listed)")
        #expect(try daemon.todoctl("fork", "start", "try").lines.first?.hasSuffix(", 1 record since") == true)
        let object = try daemon.todoctl("fork", "list", "--json").lines.compactMap { try? Value(parsing: Array($0.utf8)) }.last
        #expect(object?["running"] == true && object?["records"] == 1 && object?["socket"]?.text == forks.socket("try"))

        let asked = try daemon.todoctl("fork", "remove", "try")
        #expect(asked.end == .exit(64) && asked.error.contains("--yes"), "\(asked)")
        #expect(try daemon.todoctl("fork", "remove", "try", "--dry-run").text.hasPrefix("Would remove: try  from record 1"))
        #expect(try daemon.todoctl("fork", "remove", "empty").text == "Removed the fork empty.\n")
        #expect(try daemon.todoctl("fork", "remove", "try", "--yes").text == "Removed the fork try.\n")
        #expect(try forks.names() == [])
        let gone = try daemon.todoctl("--fork", "try", "list")
        #expect(gone.end == .exit(1) && gone.error.contains("There is no fork try."), "\(gone)")
    }

    @Test func `a fork is shown, merged once, undone as one step, and then removed without confirmation`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Milk").end == .exit(0))
        let forks = Forks(of: daemon)
        defer { withExtendedLifetime(forks) {} }
        #expect(try daemon.todoctl("fork", "try").end == .exit(0))
        #expect(try daemon.todoctl("fork", "merge", "try", "--dry-run").text == "try has no new changes.\n")
        #expect(try daemon.todoctl("--fork", "try", "add", "Bread").end == .exit(0))
        #expect(try daemon.todoctl("--fork", "try", "done", "1").end == .exit(0))
        #expect(try daemon.todoctl("add", "Rye").end == .exit(0))
        let before = try daemon.connect().log()
        let shown = try daemon.todoctl("fork", "merge", "try", "--dry-run")
        #expect(shown.end == .exit(0) && shown.text.contains("+ 3: Bread"), "\(shown)")
        #expect(try daemon.todoctl("fork", "merge", "try").end == .exit(64))
        #expect(try daemon.connect().log() == before)
        let merged = try daemon.todoctl("fork", "merge", "try", "--yes")
        #expect(merged.end == .exit(0) && merged.lines.first == "Merged try through record 4.", "\(merged)")
        let listed = try daemon.todoctl("list", "--all").text
        #expect(listed.contains("3 [ ] Bread") && listed.contains("2 [ ] Rye") && listed.contains("1 [x] Milk"), "\(listed)")
        #expect(try daemon.todoctl("log", "--raw").text.contains("(merges a fork through 4)"))
        let step = try #require(try daemon.todoctl("steps").lines.first)
        #expect(step.contains("  merges the fork of 20") && step.hasSuffix(" through its record 4"), "\(step)")
        let steps = try daemon.todoctl("steps", "--json").lines.compactMap { try? Value(parsing: Array($0.utf8)) }
        let entries = steps.flatMap { $0["steps"]?.list ?? [] }
        #expect(entries.map { $0["merges"]?.int } == [4, nil, nil])
        #expect(try entries.first?["fork"] == forks.client("try").call("org.todod.Admin.Ping")["epoch"])
        let again = try daemon.todoctl("fork", "merge", "try", "--yes")
        #expect(again.end == .exit(0) && again.text == "try has no new changes.\n", "\(again)")
        let json = try daemon.todoctl("fork", "merge", "try", "--json")
        #expect(json.end == .exit(0) && json.text.contains(#""changes":[]"#), "\(json)")
        for wrong in ["1", "5"] {
            let refused = try daemon.todoctl("fork", "merge", "try", "--through", wrong, "--yes")
            #expect(refused.end == .exit(64) && refused.error.contains("own records, 2 to 4"), "\(refused)")
        }
        #expect(try daemon.todoctl("fork", "remove", "try").end == .exit(0))
        try daemon.crash()
        #expect(try daemon.todoctl("undo").end == .exit(0))
        let back = try daemon.todoctl("list", "--all").text
        #expect(!back.contains("Bread") && back.contains("1 [ ] Milk") && back.contains("Rye"), "\(back)")
        #expect(try daemon.todoctl("verify").end == .exit(0))
    }

    @Test func `a conflict, a fork of another log, and a file that is not a fork are refused without changes`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Milk").end == .exit(0))
        let forks = Forks(of: daemon)
        defer { withExtendedLifetime(forks) {} }
        #expect(try daemon.todoctl("fork", "try").end == .exit(0))
        #expect(try daemon.todoctl("--fork", "try", "edit", "1", "--title", "Oat milk").end == .exit(0))
        #expect(try daemon.todoctl("edit", "1", "--", "Soy", "milk").end == .exit(0))
        let before = try daemon.connect().log()
        let conflict = try daemon.todoctl("fork", "merge", "try", "--yes")
        #expect(conflict.end == .exit(1) && conflict.error.contains("todos.items[1].title"), "\(conflict)")
        let stranger = try Daemon.started()
        #expect(try stranger.todoctl("add", "Tea").end == .exit(0))
        let foreign = try daemon.todoctl("fork", "merge", "try", "--yes", "--socket", stranger.socket)
        #expect(foreign.end == .exit(64) && foreign.error.contains("the fork of another log"), "\(foreign)")

        let client = try daemon.connect()
        let zero = "0000000000000000"
        let header = """
            {"todod":"export","format":1,"version":"1","store":"other","epoch":5,"first":2,"last":2,"before":"\(zero)",\
            "checksum":"\(zero)","digest":"\(zero)"}

            """
        let garbage = [
            "", "{}\n", "{\"todod\": \"export\"}\n", header, header + "{\"bytes\":\"AAAA\"}\n", header + "{\"end\":2}\n",
            header + "\u{0}\u{1}\n",
        ]
        for text in garbage {
            let upload = try client.call("org.todod.History.Upload", ["text": .text(text)])["upload"] ?? .null
            let refused = try client.ask("org.todod.History.MergeFork", ["upload": upload])
            #expect(Client.short(refused) == "BadFork", "\(text): \(refused)")
        }
        let unknown = try client.ask("org.todod.History.MergeFork", ["upload": 99])
        #expect(Client.short(unknown) == "UnknownUpload")
        #expect(try client.log() == before)
        #expect(try daemon.todoctl("fork", "merge", "try", "--yes", "--force").end == .exit(0))
        #expect(try daemon.todoctl("list").text.contains("Oat milk"))
    }

    @Test func `no command of a fork runs, old or new and after a crash, until it is released`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        try client.dispatch([["posts": ["fetch": [:]]]])
        let open = try client.sequence()
        let forks = Forks(of: daemon)
        #expect(try daemon.todoctl("fork", "try").end == .exit(0))
        #expect(try daemon.todoctl("--fork", "try", "load").end == .exit(0))
        let held: [[Value]] = [open, open + 2].map { [.int($0), 0, true, "waiting"] }
        #expect(try forks.commands("try") == held)
        try forks.crash("try")
        #expect(try daemon.todoctl("fork", "start", "try").end == .exit(0))
        #expect(try forks.commands("try") == held)
        #expect(try daemon.todoctl("--fork", "try", "commands", "release").end == .exit(0))
        // The source of the todos is part of the program.
        let watching = try forks.client("try")
        try watching.send("org.todod.Store.Subscribe", ["scope": "todos.loading"], more: true)
        let isLoaded = { (log: [Value]) in log.contains { $0["action"]?["todos"]?["loaded"] != nil } }
        while try !isLoaded(forks.client("try").log()) { _ = try Client.result(watching.receive()) }
        #expect(try !isLoaded(client.log()))
    }

    @Test func `an interrupted creation of a fork leaves nothing, and a killed one leaves no visible fork or obstacle`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Milk").end == .exit(0))
        let forks = Forks(of: daemon)
        for (signal, left) in [(SIGINT, []), (SIGKILL, [".try.new"])] {
            // The log of the fork does not exist while the daemon can't answer.
            daemon.signal(SIGSTOP)
            let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
            defer { close(null) }
            let making = try ChildProcess(
                [Products.todoctl, "fork", "try"], environment: forks.environment, output: null, error: null)
            while !FileManager.default.fileExists(atPath: forks.directory + "/.try.new/org.todod.Store") { sched_yield() }
            making.signal(signal)
            daemon.signal(SIGCONT)
            #expect(try making.wait(seconds: 60) == .signal(signal))
            #expect(try forks.names() == left)
            #expect(try daemon.todoctl("fork", "list").text == "")
        }
        let orphan = try VarlinkClient(forks.directory + "/.try.new/org.todod.Store").serverPID
        #expect(try daemon.todoctl("fork", "try").end == .exit(0))
        #expect(try forks.names() == ["try"])
        // An ended process is a zombie without a program until it is reaped.
        #expect(!FileManager.default.fileExists(atPath: "/proc/\(orphan)/exe"))
        #expect(try daemon.todoctl("--fork", "try", "list").text.contains("Milk"))
    }

    @Test func `a fork from the middle of a dispatch is consistent and executes a repeated dispatch with its key`() throws {
        let daemon = try Daemon.started()
        let actions = [Actions.add("Milk"), Actions.increment, Actions.increment]
        try daemon.connect().dispatch(actions, key: "once")
        let forks = Forks(of: daemon)
        #expect(try daemon.todoctl("fork", "try", "--at", "2").end == .exit(0))
        let verified = try daemon.todoctl("--fork", "try", "verify")
        #expect(verified.end == .exit(0), "\(verified)")
        #expect(try forks.client("try").dispatch(actions, key: "once").isDuplicate == false)
        #expect(try daemon.todoctl("--fork", "try", "verify").end == .exit(0))
    }

    @Test func `a merge of a compacted fork, or into a restored log, is refused with a reason`() throws {
        let daemon = try Daemon.started()
        for title in ["Milk", "Bread"] { #expect(try daemon.todoctl("add", title).end == .exit(0)) }
        let forks = Forks(of: daemon)
        #expect(try daemon.todoctl("fork", "try").end == .exit(0))
        #expect(try daemon.todoctl("--fork", "try", "add", "Eggs", "Salt").end == .exit(0))
        #expect(try daemon.todoctl("fork", "second").end == .exit(0))
        #expect(try daemon.todoctl("--fork", "second", "add", "Tea").end == .exit(0))
        #expect(try daemon.todoctl("--fork", "try", "compact", "--before", "3", "--yes").end == .exit(0))
        let refused = try daemon.todoctl("fork", "merge", "try", "--yes")
        #expect(refused.end == .exit(64) && refused.error.contains("own log begins after record 3"), "\(refused)")
        // An export of it is refused with the same message.
        let path = daemon.directory.path + "/fork.jsonl"
        #expect(try daemon.todoctl("--fork", "try", "export", path).end == .exit(0))
        let client = try daemon.connect()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let upload = try client.call("org.todod.History.Upload", ["text": .text(text)])["upload"] ?? .null
        let handed = try client.ask("org.todod.History.MergeFork", ["upload": upload])
        #expect(Client.short(handed) == "BadFork", "\(handed)")
        #expect(refused.error.contains(handed.parameters["message"]?.text ?? "?"), "\(handed)")
        #expect(try daemon.todoctl("explain", "BadFork").text.contains("its own log was compacted"))

        let backup = daemon.directory.path + "/old"
        #expect(try daemon.stop() == .exit(0))
        #expect(try Command.run([Products.todod, "--restore", daemon.data, "--until", "1", "--data", backup]).end == .exit(0))
        daemon.data = backup
        try daemon.start()
        // The epoch of the copy is a record and takes the sequence of a lost one.
        let other = try daemon.todoctl("fork", "merge", "second", "--yes")
        #expect(other.end == .exit(64) && other.error.contains("another history up to record 2"), "\(other)")
        let fresh = try Daemon.started()
        let shorter = try fresh.todoctl(
            "fork", "merge", "second", "--yes", environment: ["HOME": daemon.directory.path])
        #expect(shorter.end == .exit(64) && shorter.error.contains("this log ends at 0"), "\(shorter)")
        withExtendedLifetime(forks) {}
    }

    @Test func `a log whose fork file is unreadable is not served`() throws {
        let daemon = try Daemon.started()
        _ = try daemon.stop()
        try "{}".write(toFile: daemon.data + "/fork.json", atomically: true, encoding: .utf8)
        #expect(try daemon.startRefused() == .exit(65))
        #expect(daemon.output.contains("fork.json"))
        // Following a link, or blocking on a pipe, would miss that the file is there.
        #expect(unlink(daemon.data + "/fork.json") == 0 && symlink("nowhere", daemon.data + "/fork.json") == 0)
        #expect(try daemon.startRefused() == .exit(65))
        #expect(unlink(daemon.data + "/fork.json") == 0 && mkfifo(daemon.data + "/fork.json", 0o600) == 0)
        #expect(try daemon.startRefused() == .exit(65))
    }

    @Test func `a damaged or halted fork hides no other, is listed with a remedy, and keeps its records`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Milk").end == .exit(0))
        let forks = Forks(of: daemon)
        for name in ["bad", "halted", "well"] { #expect(try daemon.todoctl("fork", name).end == .exit(0)) }
        #expect(try daemon.todoctl("--fork", "bad", "add", "Bread").end == .exit(0))
        let pid = try VarlinkClient(forks.socket("halted")).serverPID
        kill(pid, SIGSTOP)
        let data = forks.directory + "/bad/data"
        try "".write(toFile: data + "/fork.json", atomically: true, encoding: .utf8)

        let gone = ["TODOD_FORK": "gone"]
        let listed = try daemon.todoctl("fork", "list", environment: gone)
        #expect(listed.end == .exit(65) && listed.lines.count == 3, "\(listed)")
        #expect(listed.lines.first?.hasPrefix("bad  \(data)/fork.json, which says") == true)
        #expect(listed.lines.dropFirst().first?.hasPrefix("halted  Its daemon does not answer.") == true)
        #expect(listed.lines.last?.hasPrefix("well  from record 1, ") == true)
        #expect(try daemon.todoctl("fork", "stop", "halted", environment: gone).end == .exit(0))

        #expect(try daemon.todoctl("fork", "stop", "bad", environment: gone).end == .exit(65))
        for verb in ["start", "remove"] {
            let refused = try daemon.todoctl("fork", verb, "bad", environment: gone)
            #expect(refused.end == .exit(65) && refused.error.contains("todod --restore \(data) --data"), "\(refused)")
        }
        let kept = forks.directory + "/kept"
        #expect(try Command.run([Products.todod, "--restore", data, "--data", kept]).end == .exit(0))
        #expect(!FileManager.default.fileExists(atPath: kept + "/fork.json"))
        let removed = try daemon.todoctl("fork", "remove", "bad", "--yes", "--json", environment: gone)
        #expect(removed.text == "{\"name\":\"bad\",\"removed\":true}\n", "\(removed)")
    }

    @Test func `an empty fork name is refused, and the last of several socket options wins`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Milk").end == .exit(0))
        let forks = Forks(of: daemon)
        #expect(try daemon.todoctl("--fork", "", "list").end == .exit(64))
        #expect(try daemon.todoctl("--fork=", "list").end == .exit(64))
        #expect(try forks.names() == [])
        // The socket is the last option, so it wins.
        #expect(try daemon.todoctl("--fork", "gone", "--socket", daemon.socket, "list").text.contains("Milk"))
        #expect(try daemon.todoctl("--socket", daemon.socket, "list", environment: ["TODOD_FORK": "gone"]).text.contains("Milk"))
    }
}

/// The forks that were made with the client of a daemon.
///
/// Their daemons end with this object.
final class Forks {
    let directory: String
    let environment: [String: String]

    init(of daemon: Daemon) {
        directory = daemon.directory.path + "/.local/state/todod-forks"
        environment = Command.environment.merging(["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket]) { $1 }
    }

    deinit {
        for name in (try? names()) ?? [] {
            if let pid = try? VarlinkClient(socket(name)).serverPID { kill(pid, SIGKILL) }
        }
    }

    func socket(_ name: String) -> String { "\(directory)/\(name)/org.todod.Store" }

    func client(_ name: String) throws -> Client { try Client(socket(name)) }

    /// All entries, whether finished or not.
    func names() throws -> [String] {
        guard FileManager.default.fileExists(atPath: directory) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0 != ".making" }.sorted()
    }

    /// The modes of a fork's directory and its log.
    func modes(_ name: String) throws -> [Int] {
        try ["", "/data"].map { below in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)\(below)")
            return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
        }
    }

    /// The id, hold and stage of each open command.
    func commands(_ name: String) throws -> [[Value]] {
        try (client(name).call("org.todod.Admin.Commands")["commands"]?.list ?? []).map {
            [$0["id"]?["sequence"] ?? .null, $0["id"]?["index"] ?? .null, $0["held"] ?? .null, $0["stage"] ?? .null]
        }
    }

    /// Kills the daemon of a fork.
    func crash(_ name: String) throws {
        let client = try VarlinkClient(socket(name))
        #expect(kill(client.serverPID, SIGKILL) == 0)
        // The connection ends with the process.
        #expect(throws: VarlinkClientError.self) { while true { _ = try client.receive() } }
    }
}

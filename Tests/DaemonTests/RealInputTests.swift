import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct RealInputTests {
    static let count = Sanitizer.share(of: 10_000)

    /// `9,999 todos`.
    private static func heading(_ count: Int) -> String { "\(count / 1_000),\(String(format: "%03d", count % 1_000)) todos" }

    /// Realistic lines: several scripts, quotes, spaces at the ends, and some empty lines.
    static let titles: [String] = (1...count).map { number in
        let things = [
            "Buy the milk", "Take my dog", "Rent a \"car\"", "Größe prüfen", "牛乳を買う", "Call 🧑‍🔧 back", "C:\\temp löschen",
        ]
        return "\(things[number % things.count]) \(number)"
    }

    @Test func `all lines of a file are one step in their order, and one undo removes them`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Before")])
        // Two lines are refused, so none is added.
        let wrong = Self.titles.enumerated().map { [1_500, 4_000].contains($0.offset) ? "ab\n" : "\($0.element)\n" }.joined()
        let refused = try daemon.todoctl("add", "--stdin", input: Array(wrong.utf8))
        #expect(refused.end == .exit(1) && refused.text.isEmpty, "\(refused)")
        #expect(
            refused.error
                == "line 1501: A title needs 3 characters or more. (ab)\nline 4001: A title needs 3 characters or more. (ab)\n"
                + "todoctl: 2 lines are refused, so nothing was added.\n")
        #expect(try client.state("todos.items").titles == ["Before"])
        let added = try daemon.todoctl("add", "--stdin", input: Array(Self.titles.map { $0 + "\n" }.joined().utf8))
        #expect(added.end == .exit(0), "\(added)")
        let titles = try client.state("todos.items").titles
        let isInOrder = titles == Array(Self.titles.reversed()) + ["Before"]
        #expect(isInOrder)
        let steps = try daemon.todoctl("steps").lines
        #expect(steps.count == 2, "\(steps.prefix(5))")
        // All of them are counted, however many there are.
        let undone = try daemon.todoctl("undo").text
        #expect(undone.hasPrefix("Undone: add " + Self.heading(Self.count)), "\(undone)")
        #expect(try client.state("todos.items").titles == ["Before"])
        let redone = try daemon.todoctl("redo").text
        #expect(redone.hasPrefix("Redone: add " + Self.heading(Self.count)) && !redone.contains("and more"), "\(redone)")
        let isBack = try client.state("todos.items").titles == titles
        #expect(isBack)
    }

    /// `todoctl add --stdin` with its input and output.
    private func adding(
        _ daemon: Daemon, to error: String, around wrapper: [String] = []
    ) throws -> (process: ChildProcess, input: Channel) {
        let channel = try Channel()
        let said = open(error, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(said) }
        let process = try ChildProcess(
            wrapper + [Products.todoctl, "add", "--stdin", "--plain"],
            environment: Command.environment.merging(["TODOD_SOCKET": daemon.socket, "HOME": daemon.directory.path]) { $1 },
            input: channel.theirs, output: said, error: said)
        close(channel.theirs)
        return (process, channel)
    }

    private func feed(_ count: Int, to channel: Channel) throws {
        var rest = Array((1...count).map { "Todo number \($0)\n" }.joined().utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(channel.ours, $0.baseAddress, $0.count) }
            guard count > 0 else { throw SystemFailure(what: "write") }
            rest = rest.dropFirst(count)
        }
    }

    @Test(arguments: [false, true]) func `Ctrl-C during input reports that nothing was added, unless it is ignored`(
        isIgnored: Bool
    ) throws {
        let daemon = try Daemon.started()
        let said = daemon.directory.path + "/said"
        #expect(mkfifo(said, 0o600) == 0)
        // Opened for reading and writing, so that neither side waits for the other.
        let reader = open(said, O_RDWR | O_CLOEXEC)
        defer { close(reader) }
        // As a shell starts a background job.
        let ignoring = ["/bin/sh", "-c", "trap '' INT; exec \"$@\"", "sh"]
        let (process, input) = try adding(daemon, to: said, around: isIgnored ? ignoring : [])
        try feed(10, to: input)
        // A line that can't be parsed is reported at once, before further lines arrive.
        let garbled: [UInt8] = [0xFF, UInt8(ascii: "\n")]
        #expect(write(input.ours, garbled, garbled.count) == garbled.count)
        func line() -> String {
            var (bytes, byte) = ([UInt8](), UInt8(0))
            while read(reader, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(line() == "line 11: this is not UTF-8")
        process.signal(SIGINT)
        if isIgnored { close(input.ours) }
        #expect(line() == (isIgnored ? "todoctl: 1 line is refused, so nothing was added." : "Nothing was added."))
        #expect(try process.wait(seconds: 60) == (isIgnored ? .exit(1) : .signal(SIGINT)))
        #expect(try daemon.connect().state("todos.items").titles.isEmpty)
        if !isIgnored { close(input.ours) }
    }

    @Test(arguments: [true, false]) func `Ctrl-C while todos are added reports their number and how to undo them`(
        answers: Bool
    ) throws {
        let daemon = try Daemon.started()
        let said = daemon.directory.path + "/said"
        let (process, input) = try adding(daemon, to: said)
        let watcher = try daemon.connect()
        try watcher.send("org.todod.Store.Subscribe", ["kind": "records", "from": ["sequence": 1]], more: true)
        let count = 40_000
        try feed(count, to: input)
        close(input.ours)
        // The third batch is sent when the second was answered.
        while try (watcher.receive().parameters["sequence"]?.int ?? 0) <= 2_000 {}
        // The daemon is suspended for a moment, so that the signal arrives before the last batch.
        daemon.signal(SIGSTOP)
        process.signal(SIGINT)
        if answers { daemon.signal(SIGCONT) }
        let end = try process.wait(seconds: 60)
        daemon.signal(SIGCONT)
        #expect(end == .signal(SIGINT))
        let lines = try String(contentsOfFile: said, encoding: .utf8).split(separator: "\n").map(String.init)
        let added = try daemon.connect().state("todos.items").titles.count
        #expect(added > 0 && added < count)
        #expect(lines.last == "To undo it: todoctl undo 1", "\(lines)")
        if answers {
            #expect(lines.count == 2 && lines[0] == "\(Self.grouped(added)) of 40,000 todos were added.", "\(lines)")
        } else {
            // The signal may have arrived between two batches.
            #expect(lines.count == 2 || lines[1] == "Whether 1,000 more were added is unknown: no answer came.", "\(lines)")
        }
        #expect(try daemon.todoctl("undo", "1").end == .exit(0))
        #expect(try daemon.connect().state("todos.items").titles.isEmpty)
    }

    private static func grouped(_ count: Int) -> String {
        count < 1_000 ? "\(count)" : "\(count / 1_000),\(String(format: "%03d", count % 1_000))"
    }

    @Test func `each line is parsed like the words of add, unless it is plain`() throws {
        let daemon = try Daemon.started()
        let file = "Call  the bank\n\n  Buy the milk 2999-12-24 #shop !high \nWater the plants 2999-12-25 9:00 weekly\n"
        let added = try daemon.todoctl("add", "--stdin", "-t", "home", "-r", "1d before", input: Array(file.utf8))
        #expect(added.end == .exit(1), "\(added)")
        #expect(added.error.hasPrefix("line 1: “1d before” is relative to the due date"), "\(added)")
        #expect(try daemon.todoctl("add", "--stdin", "-t", "home", input: Array(file.utf8)).text == "Added 3 todos: 1-3.\n")
        let items = try daemon.connect().state("todos.items").todos
        #expect(items.map { $0["title"]?.text } == ["Water the plants", "Buy the milk", "Call  the bank"])
        #expect(items.map { $0["due"]?.text } == ["2999-12-25T09:00", "2999-12-24", nil])
        #expect(items[0]["every"]?.text == "every week" && items[1]["priority"]?.int == 3)
        #expect(items[1]["tags"]?.list?.compactMap(\.text) == ["home", "shop"])
        #expect(try daemon.todoctl("add", "--stdin", "--plain", input: Array("Buy it tomorrow #1 !high\n".utf8)).end == .exit(0))
        #expect(try daemon.connect().state("todos.items").titles.first == "Buy it tomorrow #1 !high")
    }

    @Test func `ten thousand todos from a file survive a crash, and the log has the origin of each`()
        throws
    {
        let daemon = try Daemon.started()
        let file = Self.titles.enumerated().map { $0.offset % 100 == 0 ? "  \($0.element)\t\n\n" : "\($0.element)\n" }.joined()

        let added = try daemon.todoctl("add", "--stdin", input: Array(file.utf8))
        #expect(added.end == .exit(0), "\(added)")
        let listed = try daemon.todoctl("list")
        #expect(listed.lines.first == Self.heading(Self.count), "\(listed.lines.first ?? listed.description)")
        #expect(listed.lines.count == Self.count + 1)
        let client = try daemon.connect()
        let state = try client.state("todos.items")
        let isEverythingThere = Set(state.titles) == Set(Self.titles)
        #expect(isEverythingThere)
        let isNumbered = state.todos.compactMap { $0["id"]?.int }.sorted() == Array(1...Int64(Self.count))
        #expect(isNumbered)

        let needle = "牛乳を買う 4"
        let found = try daemon.todoctl("list", "--search", needle)
        let expected = Self.titles.filter { title in needle.split(separator: " ").allSatisfy { title.contains($0) } }
        #expect(found.lines.count == expected.count + 1, "\(found.lines.count) lines for \(expected.count) todos")

        for (verb, sentence) in [("done", "Done 17: "), ("remove", "Removed 18: ")] {
            let outcome = try daemon.todoctl(verb, verb == "done" ? "17" : "18")
            #expect(outcome.end == .exit(0), "\(outcome)")
            #expect(outcome.lines.count == 1 && outcome.text.hasPrefix(sentence), "\(outcome)")
        }
        #expect(try daemon.todoctl("edit", "19", "--title", "Buy oat milk").end == .exit(0))
        #expect(try daemon.todoctl("edit", "20", "--due", "2030-12-01", "--tag", "home", "--priority", "high").end == .exit(0))
        let shown = try daemon.todoctl("show", "20")
        #expect(shown.text.contains("1 December 2030"), "\(shown)")

        let before = try daemon.todoctl("list", "--all")
        #expect(before.lines.first == Self.heading(Self.count - 1))
        let sequence = try client.sequence()
        let whole = try client.state()
        try daemon.crash()
        let again = try daemon.connect()
        let isSameList = try daemon.todoctl("list", "--all").text == before.text
        #expect(isSameList)
        #expect(try again.sequence() == sequence)
        // Compared before the expectation, which would otherwise format ten thousand todos to show the difference.
        let isSame = try again.state() == whole
        #expect(isSame)
        let isFold = try Model(log: again.log()) == Model(state: whole)
        #expect(isFold)

        try expectWholeLog(daemon, through: sequence)
    }

    private func expectWholeLog(_ daemon: Daemon, through sequence: Int64) throws {
        let log = try daemon.todoctl("log", "--raw")
        #expect(log.end == .exit(0))
        #expect(log.lines.count == Int(sequence))
        let uid = "uid \(getuid())"
        for (index, line) in log.lines.enumerated() where index % 97 == 0 || index > log.lines.count - 10 {
            let fields = line.split(separator: "  ", omittingEmptySubsequences: true)
            #expect(fields.first.map(String.init) == "\(index + 1)", "\(line.prefix(80))")
            #expect(fields.contains(Substring(uid)), "\(line.prefix(80))")
            #expect(line.prefix(60).firstMatch(of: /\d{4}-\d{2}-\d{2} \d{2}:\d{2}/) != nil, "\(line.prefix(80))")
        }
        let last = log.lines.suffix(4).joined(separator: "\n")
        for name in ["todos.complete", "todos.remove", "todos.edit"] { #expect(last.contains(name), "\(last)") }
    }
}

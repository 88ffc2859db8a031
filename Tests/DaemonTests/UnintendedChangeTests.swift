import Foundation
import ProcessTesting
import TestSupport
import Testing
import Varlink

/// A mistyped command line changes nothing.
@Suite(.ownThreads) struct UnintendedChangeTests {
    @Test func `letters after one dash are options, and an unknown word is refused`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for title in ["One", "Two", "Three"] { try client.dispatch([Actions.add(title)]) }
        let before = try client.sequence()
        for verb in [["remove", "3"], ["done", "3"], ["reopen", "3"], ["edit", "3", "-p", "1"], ["move", "3", "--bottom"]] {
            for letters in ["-ny", "-yn"] {
                let tried = try Command.run([Products.todoctl] + verb + [letters], environment: ["TODOD_SOCKET": daemon.socket])
                #expect(tried.end == .exit(0) && tried.text.contains("would be"), "\(verb): \(tried)")
            }
            for word in ["-nx", "-home"] {
                let refused = try Command.run([Products.todoctl] + verb + [word], environment: ["TODOD_SOCKET": daemon.socket])
                #expect(refused.end == .exit(64) && refused.error.contains("not +\(word.dropFirst())"), "\(verb): \(refused)")
            }
        }
        #expect(try client.sequence() == before)
        #expect(try daemon.todoctl("list", "-home").lines.count == 4)
        #expect(try daemon.todoctl("remove", "3", "--", "-home").end == .exit(0))
        #expect(try client.state("todos").titles == ["Two", "One"])
    }

    @Test func `clear shows several todos, asks as remove does, and has a dry run`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        #expect(try daemon.todoctl("clear", "-n").text == "No todos are done.\n")
        for title in ["One", "Two", "Three"] { try client.dispatch([Actions.add(title)]) }
        try client.dispatch([Actions.complete(1), Actions.complete(2)])
        let before = try client.sequence()
        let unasked = try daemon.todoctl("clear")
        #expect(unasked.end == .exit(64) && unasked.error == "todoctl: Not a terminal: use --yes or --dry-run.\n", "\(unasked)")
        #expect(unasked.lines.first == "2 todos:" && unasked.lines.count == 3)
        let tried = try daemon.todoctl("clear", "-ny")
        #expect(tried.end == .exit(0) && tried.lines.first == "2 todos would be removed:", "\(tried)")
        let told = try daemon.todoctl("clear", "--dry-run", "--json")
        #expect(told.end == .exit(0) && told.text.contains("todos.items"), "\(told)")
        #expect(try daemon.todoctl("clear", "--json").end == .exit(64))
        #expect(try client.sequence() == before)
        let cleared = try daemon.todoctl("clear", "-y")
        #expect(Set(cleared.lines) == ["Removed 1: One", "Removed 2: Two"], "\(cleared)")
        #expect(try client.state("todos").titles == ["Three"])
    }

    @Test(arguments: [
        ("tasks.ics", "BEGIN:VCALENDAR"), ("tasks.csv", "id,"), ("tasks.md", "- [ ] "), ("todo.txt", ""), ("tasks.json", "["),
        ("history.jsonl", #"{"todod":"export""#), ("history", #"{"todod":"export""#),
    ])
    func `the file extension determines the format`(name: String, beginning: String) throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.add("Buy the milk")])
        let file = daemon.directory.path + "/" + name
        let written = try daemon.todoctl("export", file)
        let isHistory = name.hasPrefix("history")
        #expect(written.text == "Wrote \(isHistory ? "the history" : "1 todo") to \(file).\n", "\(written)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix(beginning) && text.contains("Buy the milk"), "\(text)")
    }

    @Test func `a file name of another format is refused`() throws {
        let daemon = try Daemon.started()
        for (words, said) in [
            (["csv", "tasks.ics"], "the name tasks.ics means ics, but the format is csv: use --format ics"),
            (
                ["--from", "1", "tasks.ics"],
                "--from, --to and --as-test apply to the history only: omit the format and --follow, or choose another file name"
            ),
        ] {
            let refused = try Command.run([Products.todoctl, "export"] + words, environment: ["TODOD_SOCKET": daemon.socket])
            #expect(refused.end == .exit(64) && refused.error.contains(said), "\(refused)")
        }
    }
}

import ProcessTesting
import TestSupport
import Testing

/// The messages after each verb that changes todos, word by word, in one table.
@Suite(.ownThreads) struct AnswersTests {
    private static let story: [(words: [String], said: String)] = [
        (["add", "ab"], "todoctl: A title needs 3 characters or more."),
        (["add", "Call the bank", "+work"], "Added 1: Call the bank (#work)"),
        (["add", "Buy the milk", "--due", "2999-12-24"], "Added 2: Buy the milk (due Tuesday 24 December 2999)"),
        (["add", "Old letter"], "Added 3: Old letter"),
        (["add", "Answer it", "--tag", ""], "todoctl: Argument 4, after --tag, is empty."),
        (["add", "Answer it", "--after", "9"], "todoctl: There never was a todo 9 to depend on."),
        (["done", "3"], "Done 3: Old letter"),
        (["done", "3"], "3 was done already: Old letter"),
        (
            ["done", "old", "letter"],
            "todoctl: No open todo matches “old letter”; 1 is done.\nTo see what there is: todoctl list --all"
        ),
        (["reopen", "1"], "1 was open already: Call the bank"),
        (["reopen", "3"], "Reopened 3: Old letter"),
        (["edit", "1", "--due", "2999-12-25"], "1: due none → Wed 25 Dec 2999"),
        (
            ["edit", "1", "--title", "Call my bank", "--priority", "high"],
            "1: Call the bank → Call my bank, priority none → high"
        ),
        (["edit", "1", "--priority", "high"], "1: it was so already"),
        (["edit", "1", "--title", "no"], "todoctl: A title needs 3 characters or more."),
        (["edit", "1", "--note", "x"], "1: note added"),
        (["edit", "1", "--no-note"], "1: note removed"),
        (["edit", "1", "--tag", "home"], "1: +home"),
        (["edit", "1", "--untag", "work"], "1: -work"),
        (["edit", "1", "--after", "1"], "todoctl: Todo 1 can't be done after itself."),
        (["edit", "1", "--after", "2"], "1: after none → 2"),
        (["edit", "1", "--no-after"], "1: after 2 → none"),
        (
            ["edit", "1", "3", "--due", "2999-12-26", "--dry-run"],
            "2 todos would be changed:\n1: due Wed 25 Dec 2999 → Thu 26 Dec 2999\n3: due none → Thu 26 Dec 2999"
        ),
        (
            ["edit", "1", "-e", "monday 9:00"],
            "1: due Wed 25 Dec 2999 → Wed 25 Dec 2999 09:00, recurs never → every monday"
        ),
        (
            ["edit", "1", "--no-every", "--due", "none"],
            "1: due Wed 25 Dec 2999 09:00 → none, recurs every monday → never"
        ),
        (["edit", "99", "-n", "-p", "high"], "todoctl: There is no todo 99.\nTo see what there is: todoctl list --all"),
        (["edit", "1", "-n", "--title", "no"], "todoctl: A title needs 3 characters or more."),
        (["move", "1", "--bottom"], "1 was there already: Call my bank"),
        (["move", "1", "--top"], "Moved 1: Call my bank"),
        (["remove", "2"], "Removed 2: Buy the milk"),
        (["undo", "--dry-run"], "Would undo: remove 2 (Buy the milk is back)"),
        (["undo"], "Undone: remove 2 (Buy the milk is back)"),
        (["redo"], "Redone: remove 2 (Buy the milk is gone)"),
        (["done", "99"], "todoctl: There is no todo 99.\nTo see what there is: todoctl list --all"),
        (["show", "99"], "todoctl: There is no todo 99.\nTo see what there is: todoctl list --all"),
        (["done", "+nothing"], "todoctl: No todo matches “+nothing”.\nTo see what there is: todoctl list --all"),
        (["done", "1", "3"], "Done 1: Call my bank\nDone 3: Old letter"),
        (["undo"], "Undone: done 1, 3 (Call my bank and Old letter are open again)"),
        (["done", "3"], "Done 3: Old letter"),
        (["clear"], "Removed 3: Old letter"),
        (["clear"], "No todos are done."),
        (["draft", "Water the plants"], ""),
        (["submit"], "Added 4: Water the plants"),
        (["list", "#nosuch"], "0 of 2 todos\nNo open todo has #nosuch."),
        (["list", "+\"a b\"", "--done"], "0 of 2 todos\nNo completed todo has #a b."),
        (["list", "bank", "due<friday"], "0 of 2 todos\nNo open todo matches “bank due<friday”."),
        (["list", "+a,b"], "0 of 2 todos\nNo open todo matches “+a,b”."),
        (["list", "--done"], "0 of 2 todos\nNo todo is done."),
        (["list", "--limit", "0"], "0 of 2 todos"),
        (
            ["add", "Call", "mum", "!hgih"],
            "todoctl: There is no priority hgih; did you mean !high?\nTo keep the word in the title: --plain"
        ),
        (["edit", "4", "--tag", "a b"], "4: +a b"),
        (["list", "+\"a b\""], "1 of 2 todos\n4 [ ] Water the plants  #a b"),
        (["submit"], "todoctl: A title needs 3 characters or more."),
        (
            ["add", "Buy the tea", "--remind", "2999-12-24 9:00", "--plain"],
            "Added 5: Buy the tea (remind Tuesday 24 December 2999 09:00)"
        ),
        (["remove", "4", "5"], "Removed 4: Water the plants\nRemoved 5: Buy the tea"),
        (
            ["undo", "--dry-run"],
            "Would undo: remove 4, 5 (Water the plants and Buy the tea are back)\n"
                + "would remind you of Buy the tea on Tue 24 Dec 2999 09:00"
        ),
        (["view", "save", "work", "+work"], "Saved the view work: +work"),
        (["view", "remove", "work"], "Removed the view work: +work"),
        (["undo"], "Undone: view remove work (the view work is back)"),
        (["counter", "increment"], "The counter is at 1."),
        (["undo"], "Undone: counter increment (counter: 1 → 0)"),
    ]

    @Test func `each verb reports and names its result`() throws {
        let daemon = try Daemon.started()
        for (words, said) in Self.story {
            let outcome = try Command.run(
                [Products.todoctl] + words, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket],
                seconds: 120)
            let expected = said.isEmpty ? "" : said + "\n"
            // If an executable is missing, the first line of the error is enough here.
            let isEmptyArgument = said.hasSuffix(" is empty.")
            let all = outcome.text + outcome.error
            #expect(isEmptyArgument ? all.hasPrefix(expected) : all == expected, "\(words): \(outcome)")
            #expect((outcome.end == .exit(0)) == !said.hasPrefix("todoctl: "), "\(words): \(outcome)")
        }
    }

    @Test func `several steps that are undone or redone at once are each named`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Call the bank").end == .exit(0))
        #expect(try daemon.todoctl("counter", "increment").end == .exit(0))
        #expect(try daemon.todoctl("done", "1").end == .exit(0))
        let both = "done 1; counter increment"
        #expect(try daemon.todoctl("undo", "--count", "2").lines.first == "Undone: " + both)
        #expect(try daemon.todoctl("redo").lines.first == "Redone: " + both)
        for _ in 1...12 { #expect(try daemon.todoctl("counter", "increment").end == .exit(0)) }
        let many = "12 steps: counter increment; counter increment; counter increment and 9 more (counter: 13 → 1)"
        #expect(try daemon.todoctl("undo", "--count", "12").text == "Undone: \(many)\n")
        let again = "12 steps: counter increment; counter increment; counter increment and 9 more (counter: 1 → 13)"
        #expect(try daemon.todoctl("redo").text == "Redone: \(again)\n")
    }

    @Test func `status describes the daemon in words`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Call the bank").end == .exit(0))
        let lines = try daemon.todoctl("status").lines
        #expect(lines.contains("log ends    with record 1"), "\(lines)")
        let can = "make changes, keep changes over a restart, recognize retries permanently, search text"
        #expect(lines.contains { $0 == "can         " + can }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("clients     ") && !$0.contains("follow") }, "\(lines)")
    }

    @Test func `a pending reminder is listed with its title and local time`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Call the bank", "--remind", "2999-12-24 9:00").end == .exit(0))
        let commands = try daemon.todoctl("commands").lines
        #expect(commands.count == 1)
        #expect(
            commands.first?.hasPrefix("1.0  todos.remind 1: Call the bank, Tue 24 Dec 2999 09:00  waiting, uid ") == true,
            "\(commands)")
    }

    @Test(.enabled(if: Terminal.tmux != nil, "tmux is not installed"), arguments: [(40, 24), (60, 10)])
    func `the question before a change of many todos fits the terminal, with one line per todo`(columns: Int, lines: Int) throws {
        let daemon = try Daemon.started()
        for number in 10..<22 {
            try daemon.connect().dispatch([Actions.add("Write to all \(number) neighbours about the party in the garden")])
        }
        #expect(try daemon.todoctl("edit", "1-12", "--due", "2099-12-24", "--yes").end == .exit(0))
        let terminal = try Terminal(daemon.directory.path, columns: columns, lines: lines)
        try terminal.press("export LC_ALL=C.UTF-8 TODOD_SOCKET='\(daemon.socket)'", "Enter")
        try terminal.press("clear; '\(Products.todoctl)' done neighbours", "Enter")
        let isAsked = try terminal.becomes { $0.contains("Mark them as done? [y/N]") }
        let screen = try terminal.text().split(separator: "\n").map(String.init)
        let heading = try #require(screen.firstIndex(of: "12 todos:"), "\(screen)")
        let shown = min(10, lines - 4)
        let todos = screen[(heading + 1)...(heading + shown)]
        #expect(isAsked && todos.allSatisfy { $0.hasPrefix("  ") && $0.contains("…  due Thu 24 Dec 2099") }, "\(screen)")
        #expect(screen[heading + shown + 1] == "  and \(12 - shown) more", "\(screen)")
    }

    @Test func `going back to a moment names the record of that moment`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Call the bank").end == .exit(0))
        #expect(try daemon.todoctl("done", "1").end == .exit(0))
        let back = try daemon.todoctl("revert", "--to", "1", "--yes")
        #expect(back.lines == ["Back at 1.", "  1: open again"], "\(back)")
        #expect(try daemon.todoctl("revert", "--to", "1", "--yes").text == "Everything is as it was at 1 already.\n")
        let asked = try daemon.todoctl("revert", "--to", "2")
        #expect(asked.end == .exit(64) && asked.error == "todoctl: Not a terminal: use --yes or --dry-run.\n", "\(asked)")
    }
}

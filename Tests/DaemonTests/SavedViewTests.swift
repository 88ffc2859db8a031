import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

@Suite(.ownThreads) struct SavedViewTests {
    /// A daemon with three todos, two of them of work.
    private func begun() throws -> Daemon {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("add", "Call the bank", "--tag", "work", "--due", "2020-01-01").end == .exit(0))
        #expect(try daemon.todoctl("add", "Buy the milk", "--tag", "home").end == .exit(0))
        #expect(try daemon.todoctl("add", "Write report", "--tag", "work").end == .exit(0))
        return daemon
    }

    private func ids(_ outcome: Command.Outcome) -> [String] {
        outcome.lines.dropFirst().map { String($0.drop { $0 == " " }.prefix { $0 != " " }) }
    }

    @Test func `a view is saved, combined with other words, changed, and undone`() throws {
        let daemon = try begun()
        #expect(try daemon.todoctl("view", "save", "work", "+work is:open").text == "Saved the view work: +work is:open\n")
        #expect(try ids(daemon.todoctl("list", "@work")) == ["3", "1"])
        #expect(try ids(daemon.todoctl("list", "--view", "work", "is:overdue")) == ["1"])
        #expect(try ids(daemon.todoctl("list", "@work", "due:none")) == ["3"])
        #expect(try daemon.todoctl("done", "@work", "due:none").text == "Done 3: Write report\n")
        #expect(try ids(daemon.todoctl("list", "@work")) == ["1"])

        let changed = try daemon.todoctl("view", "save", "work", "+work", "--sort", "id")
        #expect(changed.text == "Changed the view work: +work\n", "\(changed)")
        #expect(try ids(daemon.todoctl("list", "@work", "--all")) == ["1", "3"])
        #expect(try ids(daemon.todoctl("list", "@work", "--all", "--sort", "list")) == ["3", "1"])
        #expect(try daemon.todoctl("view", "save", "work", "+work", "--sort", "id").text == "The view work is unchanged.\n")
        #expect(try daemon.todoctl("view", "list").text == "work: +work (sorted by id)\n")
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try daemon.todoctl("view", "show", "work").text == "work: +work is:open\n")

        #expect(try daemon.todoctl("view", "remove", "work").text == "Removed the view work: +work is:open\n")
        let none = try daemon.todoctl("list", "@work")
        #expect(none.end == .exit(64) && none.error.contains("There is no view work."), "\(none)")
        #expect(try daemon.todoctl("undo").text == "Undone: view remove work (the view work is back)\n")
        #expect(try daemon.todoctl("view", "show", "work").end == .exit(0))
    }

    @Test func `a dash before a tag is not an option, and a date of several words remains one date`() throws {
        let daemon = try begun()
        #expect(try daemon.todoctl("view", "save", "soon", "due<next friday", "-home").end == .exit(0))
        #expect(try daemon.todoctl("view", "show", "soon").text == "soon: due<\"next friday\" not +home\n")
        #expect(try ids(daemon.todoctl("list", "@soon")) == ["1"])
    }

    @Test func `an invalid view is refused, and nothing is logged`() throws {
        let daemon = try begun()
        let sequence = try daemon.connect().sequence()
        for words in [["a", "due<someday"], ["a", "(b"], ["a", "@b"], ["a", ""], ["a"]] {
            let refused = try Command.run(
                [Products.todoctl, "view", "save"] + words,
                environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
            #expect(refused.end == .exit(64), "\(words): \(refused)")
        }
        let named = try daemon.todoctl("view", "save", "a b", "+work")
        #expect(named.end == .exit(1) && named.error.contains("begins with a letter"), "\(named)")
        #expect(try daemon.todoctl("view", "remove", "nobody").end == .exit(1))
        #expect(try daemon.connect().sequence() == sequence)
    }

    @Test func `the default view of the settings applies to a list without a filter`() throws {
        let daemon = try begun()
        #expect(try daemon.todoctl("view", "save", "work", "+work").end == .exit(0))
        let view = ["TODOCTL_VIEW": "work"]
        #expect(try ids(daemon.todoctl("list", environment: view)) == ["3", "1"])
        #expect(try ids(daemon.todoctl("list", "is:open", environment: view)) == ["3", "2", "1"])
        #expect(try ids(daemon.todoctl("list", "--all", environment: view)) == ["3", "2", "1"])
    }

    @Test func `an unknown view is refused with a suggestion, and one in the settings does not prevent the list`() throws {
        let daemon = try begun()
        #expect(try daemon.todoctl("view", "save", "work", "+work").end == .exit(0))
        let view = ["TODOCTL_VIEW": "wrok"]
        let listed = try daemon.todoctl("list", environment: view)
        #expect(ids(listed) == ["3", "2", "1"] && listed.end == .exit(1), "\(listed)")
        #expect(
            listed.error
                == "todoctl: There is no view wrok, which your settings name; did you mean work? All open todos are shown.\n")
        let json = try daemon.todoctl("list", "--json", environment: view)
        #expect(json.end == .exit(1) && json.lines.count == 1, "\(json)")
        #expect(try daemon.todoctl("list", "is:open", environment: view).end == .exit(0))
        let asked = try daemon.todoctl("list", "@wrok")
        #expect(asked.end == .exit(64) && asked.text.isEmpty, "\(asked)")
        #expect(asked.error.hasPrefix("todoctl: There is no view wrok; did you mean work? To list"), "\(asked)")
        #expect(try daemon.todoctl("view", "show", "wrok").error.contains("did you mean work?"))
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `a shell completes the names of views`(shell: String) throws {
        let daemon = try begun()
        #expect(try daemon.todoctl("view", "save", "work", "+work").end == .exit(0))
        for (verb, what, name) in [
            (["list"], "positional@0", "@work"), (["list"], "--view", "work"), (["view", "show"], "positional@0", "work"),
        ] {
            let asked = ["---completion"] + verb + ["--", what, "2", "0", "todoctl"] + verb + [""]
            let answer = try Command.run(
                [Products.todoctl] + asked,
                environment: ["SAP_SHELL": shell, "TODOD_SOCKET": daemon.socket, "HOME": daemon.directory.path])
            // The filter of a view is its description.
            let words = answer.lines.map { $0.filter { $0 != "'" }.prefix { !":\t".contains($0) } }
            #expect(words.contains { $0 == name }, "\(verb) \(what): \(answer)")
        }
    }
}

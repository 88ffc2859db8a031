import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoAPI
import TodoClient
import Varlink

@Suite(.ownThreads) struct WideRedactTests {
    /// The message about traces on the disk after a redaction.
    private static let staying = [
        "It can't be undone. Until todoctl compact is run, free pages of the file keep what the records held.",
        "Exports, backups, archives and the daemon's journal keep what they have.",
    ]

    @Test func `a text is redacted in every record that contains it, and everything else is kept`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.text("A secret draft")])
        try client.dispatch([Actions.add("Buy the milk", "My SECRET is 4711")])
        #expect(try daemon.todoctl("edit", "1", "--note", "The secret of oats", "--tag", "home").end == .exit(0))
        #expect(try daemon.todoctl("remove", "2").end == .exit(0))
        #expect(try daemon.todoctl("undo").end == .exit(0))
        let before = try client.log()

        let trial = try daemon.todoctl("redact", "--text", "secret", "--dry-run")
        #expect(trial.end == .exit(0), "\(trial)")
        #expect(trial.lines.first == "Would blank the whole of each text with “secret” in 4 records:", "\(trial)")
        #expect(trial.lines.contains("In the list todos 1, 2 would have ⟨redacted⟩ in its place."), "\(trial)")
        #expect(
            trial.lines[1] == "  typed: A secret draft  (record 1)" && trial.lines[2].hasPrefix("  added 2 todos: Buy the milk"))
        #expect(trial.lines.contains { $0.hasPrefix("It can't be undone. Until todoctl compact is run") }, "\(trial)")
        #expect(try client.log() == before)
        let unasked = try daemon.todoctl("redact", "--text", "secret")
        #expect(unasked.end == .exit(64) && unasked.lines == trial.lines, "\(unasked)")

        let taken = try daemon.todoctl("redact", "--text", "secret", "--yes")
        #expect(taken.end == .exit(0), "\(taken)")
        #expect(taken.lines == ["Blanked the whole of each text with “secret” in 4 records."] + Self.staying, "\(taken)")
        #expect(try !"\(client.log())".lowercased().contains("secret"))
        #expect(try client.state("todos.items").titles == ["Buy the milk", "⟨redacted⟩"])
        #expect(try client.state("todos.items").description.contains("home"))
        let none = try daemon.todoctl("redact", "--text", "secret", "--yes")
        #expect(none.end == .exit(1) && none.error == "todoctl: No record holds “secret”.\n", "\(none)")
        #expect(try daemon.stop() == .exit(0))
        let checked = try Command.run([Products.todod, "--verify", "--data", daemon.data])
        #expect(checked.end == .exit(0), "\(checked)")
    }

    @Test func `the texts of a todo are redacted in every record that sets them, and those of other todos are kept`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy the milk", "Call Ada on 4711")])
        try client.dispatch([Actions.edit(2, title: "Call Eve on 4711")])
        try client.dispatch([Actions.remove(2)])
        #expect(try daemon.todoctl("undo").end == .exit(0))
        try client.dispatch([Actions.text("Call Ada on 4711")])
        let taken = try daemon.todoctl("redact", "--todo", "2", "--yes")
        #expect(taken.end == .exit(0), "\(taken)")
        #expect(
            taken.lines == ["Blanked the texts of todo 2 in 3 records."] + Self.staying + ["Record 5 holds one of them as well."],
            "\(taken)")
        #expect(try client.state("todos.items").titles == ["Buy the milk", "⟨redacted⟩"])
        #expect(try daemon.todoctl("redact", "--todo", "99", "--yes").error == "todoctl: No record holds the texts of todo 99.\n")
    }

    @Test func `a view's filter with the text is redacted as a whole, which the dry run announces`() throws {
        let daemon = try Daemon.started()
        #expect(try daemon.todoctl("view", "save", "people", "+work Miller").end == .exit(0))
        #expect(try daemon.todoctl("view", "save", "home", "+home").end == .exit(0))
        let trial = try daemon.todoctl("redact", "--text", "miller", "--dry-run")
        let said = "The whole filter of the view people goes; to give it another: todoctl view save people FILTER"
        #expect(trial.lines.filter { $0.contains("view save") } == [said], "\(trial)")
        #expect(try daemon.todoctl("redact", "--text", "miller", "--yes").end == .exit(0))
        #expect(try daemon.todoctl("view", "list").lines == ["home: +home", "people: ⟨redacted⟩"])
        #expect(try daemon.todoctl("view", "save", "people", "+work").lines == ["Changed the view people: +work"])
        #expect(try !"\(daemon.connect().log())".contains("Miller"))
    }

    @Test func `views keep their names even if the names contain the text`() throws {
        let daemon = try Daemon.started()
        for name in ["work", "workshop"] { #expect(try daemon.todoctl("view", "save", name, "+home").end == .exit(0)) }
        #expect(try daemon.todoctl("add", "--plain", "To do at work").end == .exit(0))
        let work = try daemon.todoctl("redact", "--text", "work", "--yes")
        #expect(work.lines.first == "Blanked the whole of each text with “work” in 1 record.")
        #expect(try daemon.todoctl("view", "list").lines == ["work: +home", "workshop: +home"])
        for name in ["work", "workshop"] { #expect(try daemon.todoctl("view", "remove", name).end == .exit(0)) }
    }

    @Test func `more records than one call accepts are redacted in several calls`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        let count = RedactTextsMethod.sequencesMax + 233
        for number in 1...3 { try client.dispatch((1...count / 3).map { Actions.text("secret \(number) \($0)") }) }
        let taken = try daemon.todoctl("redact", "--text", "secret", "--yes")
        #expect(taken.lines == ["Blanked the whole of each text with “secret” in 4,329 records."] + Self.staying, "\(taken)")
        #expect(try daemon.todoctl("redact", "--text", "secret", "--yes").error == "todoctl: No record holds “secret”.\n")
        #expect(try client.status()["redactions"] == .int(Int64(count)))
    }

    @Test func `exactly one of a record, a text and a todo must be named`() throws {
        let daemon = try Daemon.started()
        for words in [[], ["1", "--text", "abc"], ["--text", "abc", "--todo", "1"]] {
            let refused = try Command.run([Products.todoctl, "redact"] + words, environment: ["TODOD_SOCKET": daemon.socket])
            #expect(refused.end == .exit(64), "\(refused)")
        }
    }
}

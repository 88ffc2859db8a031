import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Tests of notes that are edited in an editor, and of a todo's history.
@Suite(.ownThreads) struct NoteTests {
    /// A daemon with one todo.
    private func begun() throws -> (Daemon, Client) {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Call the bank")])
        return (daemon, client)
    }

    private func note(_ client: Client) throws -> String? { try client.state("todos.items").todos.first?["note"]?.text }

    /// Edits the note with a script as the editor and a private temporary directory.
    private func edit(_ daemon: Daemon, _ script: String, _ words: String...) throws -> (Command.Outcome, left: [String]) {
        let temporary = daemon.directory.path + "/temporary"
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
        let editor = try daemon.directory.write("#!/bin/sh\n" + script + "\n", to: "editor")
        let outcome = try Command.run(
            [Products.todoctl, "note"] + words,
            environment: [
                "TODOD_SOCKET": daemon.socket, "VISUAL": "/bin/sh '\(editor)'", "EDITOR": "false", "TMPDIR": temporary,
            ])
        return (outcome, try FileManager.default.contentsOfDirectory(atPath: temporary))
    }

    @Test func `the editor's text becomes the note, and no file is left`() throws {
        let (daemon, client) = try begun()
        let (written, left) = try edit(
            daemon, #"stat -c %a "$1" "$(dirname "$1")" >&2; printf 'Ask for Ada\nFloor 3\n' > "$1""#, "1")
        #expect(written.end == .exit(0) && written.lines == ["1: note added"], "\(written)")
        #expect(written.error == "600\n700\n" && left.isEmpty, "\(written) \(left)")
        #expect(try note(client) == "Ask for Ada\nFloor 3")
        let last = try client.sequence()
        let (same, _) = try edit(daemon, #"grep -q Ada "$1" && printf 'Ask for Ada\nFloor 3' > "$1""#, "1")
        #expect(same.end == .exit(0) && same.lines == ["The note of 1 is unchanged: Call the bank"], "\(same)")
        #expect(try client.sequence() == last)
        let (emptied, _) = try edit(daemon, #": > "$1""#, "1")
        #expect(emptied.lines == ["1: note removed"], "\(emptied)")
        #expect(try daemon.todoctl("undo").end == .exit(0))
        #expect(try note(client) == "Ask for Ada\nFloor 3")
    }

    @Test func `a failing editor changes nothing, and its text is kept in a file`() throws {
        let (daemon, client) = try begun()
        let (failed, left) = try edit(daemon, "exit 3", "1")
        #expect(failed.end == .exit(1) && failed.error.contains("it ended with status 3") && left.isEmpty, "\(failed)")
        let (late, kept) = try edit(daemon, #"echo Mine > "$1"; exit 1"#, "1")
        #expect(late.end == .exit(1) && late.error.contains("Your text is in ") && kept.count == 1, "\(late)")
        #expect(try client.sequence() == 1)
        #expect(try edit(daemon, ":", "9").0.error.contains("There is no todo 9."))
    }

    @Test func `a note that another client changed during the edit is not overwritten, and the text is kept`() throws {
        let (daemon, client) = try begun()
        let other = "'\(Products.todoctl)' edit 1 --note Theirs --socket '\(daemon.socket)' > /dev/null"
        let (refused, left) = try edit(daemon, other + #"; echo Mine > "$1""#, "1")
        #expect(refused.end == .exit(1) && refused.error.contains("The note of 1 was changed by another client"), "\(refused)")
        #expect(try note(client) == "Theirs" && left.count == 1)
        let path = String(refused.error.split(separator: "\n").last ?? "").replacing("Your text is in ", with: "")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "Mine\n")
        // Concurrent changes of other fields do not conflict.
        let renamed = "'\(Products.todoctl)' edit 1 --title 'Call my bank' --socket '\(daemon.socket)' > /dev/null"
        let (written, _) = try edit(daemon, renamed + #"; echo Mine > "$1""#, "1")
        #expect(written.end == .exit(0) && written.lines == ["1: note changed"], "\(written)")
        #expect(try note(client) == "Mine")
    }

    @Test func `the history of a todo is shown below it, even if it was removed`() throws {
        let (daemon, client) = try begun()
        try client.dispatch([Actions.increment, Actions.add("Buy the milk")])
        try client.dispatch([Actions.edit(1, title: "Call my bank")])
        try client.dispatch([Actions.complete(1)])
        #expect(try daemon.todoctl("remove", "1").end == .exit(0))
        #expect(try daemon.todoctl("undo").end == .exit(0))
        let told = try daemon.todoctl("show", "1", "--history")
        #expect(told.lines.first == "1: Call my bank", "\(told)")
        let sentences = [
            "added 1: Call the bank  (record 1)", "changed 1: Call the bank → Call my bank  (record 4)",
            "completed 1: Call my bank  (record 5)",
            "removed 1: Call my bank (undone)  (record 6)", "put back 1: Call my bank (undoes record 6)  (record 7)",
        ]
        #expect(
            told.lines.suffix(5).map { line in sentences.firstIndex { line.hasSuffix("  you  " + $0) } } == [0, 1, 2, 3, 4],
            "\(told)")
        #expect(try daemon.todoctl("show", "1", "--history", "--at", "4").lines.last?.hasSuffix("(record 4)") == true)
        #expect(try daemon.todoctl("remove", "1").end == .exit(0))
        let gone = try daemon.todoctl("show", "1", "--history")
        #expect(gone.end == .exit(0) && gone.lines.first == "1: removed" && gone.lines.count == 8, "\(gone)")
        #expect(try daemon.todoctl("show", "1").end == .exit(1))
        #expect(try daemon.todoctl("show", "9", "--history").error.contains("There is no todo 9."))
    }
}

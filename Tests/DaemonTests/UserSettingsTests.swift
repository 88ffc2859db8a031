import Foundation
import ProcessTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct UserSettingsTests {
    /// Writes the settings of a daemon's client.
    private func write(_ text: String, _ daemon: Daemon) throws {
        let directory = daemon.directory.path + "/.config/todod"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/todoctl.toml"))
    }

    @Test func `the settings of a user apply to each verb`() throws {
        let daemon = try Daemon.started()
        try write(
            """
            date = "iso"
            sort = "title"

            [aliases]
            shop = "list +shop"
            milk = "add 'Buy the milk' --tag shop"
            """, daemon)
        #expect(try daemon.todoctl("milk", "--due", "2026-12-01").text == "Added 1: Buy the milk (due 2026-12-01, #shop)\n")
        #expect(try daemon.todoctl("add", "Air the room").end == .exit(0))
        #expect(try daemon.todoctl("add", "Clean the room", "--tag", "shop").end == .exit(0))
        func titles(_ outcome: Command.Outcome) -> [String] {
            outcome.lines.dropFirst().compactMap { line in
                ["Air", "Buy", "Clean"].first { line.contains($0) }
            }
        }
        #expect(titles(try daemon.todoctl("list")) == ["Air", "Buy", "Clean"])
        #expect(titles(try daemon.todoctl("shop")) == ["Buy", "Clean"])
        #expect(titles(try daemon.todoctl("list", "--sort", "list")) == ["Clean", "Air", "Buy"])
        #expect(titles(try daemon.todoctl("list", environment: ["TODOCTL_SORT": "id"])) == ["Buy", "Air", "Clean"])
        #expect(try daemon.todoctl("config").text.contains("sort          title  (file)"))
    }

    @Test func `invalid settings are reported, and only an unparsable file ends the verb`() throws {
        let daemon = try Daemon.started()
        try write("sorted = \"title\"\n", daemon)
        let warned = try daemon.todoctl("list")
        #expect(warned.end == .exit(0) && warned.lines == ["0 todos"], "\(warned)")
        #expect(warned.error.contains("todoctl.toml, line 1: there is no setting sorted; did you mean sort?"), "\(warned)")
        #expect(try daemon.todoctl("config", "check").end == .exit(1))
        try write("sorted = 1\nweek = 2\n[colors]\ntags = \"red\"\n", daemon)
        let several = try daemon.todoctl("list").error.split(separator: "\n")
        #expect(several.count == 1)
        #expect(several.last?.hasSuffix("one of 3 mistakes in your settings; to see all: todoctl config") == true)
        #expect(try daemon.todoctl("config").error.split(separator: "\n").count == 3)
        try write("sort = \n", daemon)
        for verb in [["list"], ["config"], ["config", "check"], ["add", "Buy the milk"]] {
            let refused = try Command.run(
                [Products.todoctl] + verb, environment: ["HOME": daemon.directory.path, "TODOD_SOCKET": daemon.socket])
            #expect(
                refused.end == .exit(78) && refused.error.contains("line 1: a value is a text in quotes"), "\(verb): \(refused)")
        }
        #expect(try daemon.todoctl("config", "path").text == daemon.directory.path + "/.config/todod/todoctl.toml\n")
        #expect(try daemon.todoctl("--help").end == .exit(0))
        #expect(try daemon.connect().sequence() == 0)
    }

    @Test func `the settings file is created and changed in the user's editor and checked afterwards`() throws {
        let daemon = try Daemon.started()
        let editor = try daemon.directory.write(
            """
            echo 'sort = "due"' > "$1.new"
            cat "$1" >> "$1.new"
            mv "$1.new" "$1"
            """, to: "ed")
        let edited = try daemon.todoctl("config", "edit", environment: ["EDITOR": "sh \(editor)"])
        #expect(edited.end == .exit(0) && edited.text == "The settings are valid.\n", "\(edited)")
        #expect(try daemon.todoctl("config").text.contains("(file)"))
        let wrong = try daemon.todoctl("config", "edit", environment: ["VISUAL": "false", "EDITOR": "true"])
        #expect(wrong.end == .exit(74) && wrong.error.contains("status 1"), "\(wrong)")
    }
}

import ArgumentParser
import Dates
import Foundation
import TestSupport
import Testing
import TodoAPI
import TodoClient
import Varlink

@testable import todoctl

@Suite struct VerbTests {
    static let verbs = Todoctl.configuration.subcommands.map { $0._commandName }
    /// Every verb and every subcommand, with the words of its name.
    static let leaves: [(words: String, verb: any ParsableCommand.Type)] = Todoctl.configuration.subcommands.flatMap { verb in
        [(verb._commandName, verb)]
            + verb.configuration.subcommands.map { ("\(verb._commandName) \($0._commandName)", $0) }
    }

    @Test(arguments: [
        (["--wait", "list"], ["list"], ["TODOD_WAIT": "30"]), (["--wait", "5", "list"], ["list"], ["TODOD_WAIT": "5"]),
        (
            ["--wait=5", "--socket", "/s", "list", "--all"], ["list", "--all"],
            ["TODOD_WAIT": "5", "TODOD_SOCKET": "/s", "TODOD_FORK": ""]
        ),
        (["--fork", "try", "--socket=/s", "list"], ["list"], ["TODOD_SOCKET": "/s", "TODOD_FORK": ""]),
        (["--socket", "/s", "--fork", "try", "list"], ["list"], ["TODOD_SOCKET": "/s", "TODOD_FORK": "try"]),
        (["--wait=soon", "list"], ["list"], ["TODOD_WAIT": "soon"]), (["list", "--wait"], ["list", "--wait"], [:]),
        (["--fork", "try", "list"], ["list"], ["TODOD_FORK": "try"]), (["--fork=try", "list"], ["list"], ["TODOD_FORK": "try"]),
        (["--version", "--wait"], ["--version"], ["TODOD_WAIT": "30"]),
        (["--timeout", "3", "list"], ["list"], ["TODOD_TIMEOUT": "3"]),
        (["--timeout=0", "list"], ["list"], ["TODOD_TIMEOUT": "0"]),
        (["watch", "--timeout", "3"], ["watch", "--timeout", "3"], [:]),
    ])
    func `options before the verb apply to any verb`(
        arguments: [String], rest: [String], expected: [String: String]
    ) throws {
        var variables: [String: String] = [:]
        let kept = try Todoctl.takingGlobals(from: arguments[...]) { variables[$0] = $1 }
        #expect(kept == rest)
        #expect(variables == expected)
    }

    @Test func `words need no quotes, and options may be anywhere among them`() throws {
        let add = try #require(
            try Todoctl.parseAsRoot(["add", "Buy", "the", "milk", "--due", "tomorrow 9:00", "--tag", "a", "--tag", "b"]) as? Add)
        #expect(add.words == ["Buy", "the", "milk"])
        #expect(add.fields.due == "tomorrow 9:00")
        #expect(add.fields.tag == ["a", "b"])
        let dashed = try #require(try Todoctl.parseAsRoot(["add", "--priority", "high", "--", "--due", "-3"]) as? Add)
        #expect(dashed.words == ["--due", "-3"])
        #expect(dashed.fields.priority?.level == 3)
    }

    @Test(arguments: [
        ["add"], ["add", "--stdin", "x"], ["add", "x", "--priority", "4"], ["done"], ["list", "--all", "--done"],
        ["list", "--sort", "colour"], ["edit", "3"], ["edit", "3", "Buy"], ["edit", "3", "--title", "x", "--title=y"],
        ["edit", "3", "--due", "today", "--no-due"],
        ["edit", "3", "--wait-until", "friday", "--no-wait-until"], ["edit", "3", "--after", "4", "--no-after"],
        ["edit", "3", "--after", "four"], ["move", "3"],
        ["move", "3", "--top", "--bottom"], ["move", "3", "--to", "0"], ["counter", "jump"], ["fly"], ["dispatch"], ["call"],
        ["call", "Ping"],
        ["completions", "powershell"], ["alerts", "dismiss"], ["alerts", "dismiss", "1", "--all"], ["posts", "add"],
        ["star", "press"],
        ["export", "a", "b"], ["export", "--format", "foo"], ["export", "--format", "csv", "--from", "1"],
        ["export", "ics", "--to", "1"], ["export", "--from", "1", "tasks.ics"], ["export", "--as-test", "1..2", "tasks.md"],
        ["export", "csv", "tasks.ics"], ["export", "--format", "markdown", "+work", "notes.txt"],
        ["import", "a.csv", "--format", "csv", "--risky"],
        ["repos", "open", "one"], ["repos", "choose", "--language", "C", "--cancel"], ["flow", "answer", "1"], ["open"],
        ["counter", "increment", "--at", "1"], ["log", "--follow", "--reverse"], ["log", "--follow", "--to", "3"],
        ["log", "--follow", "--from", "1", "--limit", "3"], ["view", "todos", "--follow", "--at", "1"],
        ["diff"], ["why"], ["why-first"], ["why-first", "milk"], ["note"], ["note", "milk"], ["redact"],
        ["redact", "3", "--todo", "1"], ["blame"], ["blame", "--history", "--all", "x"],
        ["bisect"], ["bisect", "--where", "true", "--exec", "x"], ["bisect", "--exec", "x", "--quick"], ["check"],
        ["replay", "--speed", "0"],
        ["bookmark", "a", "b", "c"],
        ["restore", "counter.count"], ["whatif", "--skip", "3", "--yes"], ["whatif", "--skip", "3", "--apply", "--at", "2"],
        ["undo", "3", "--path", "counter.count"], ["undo", "--force", "--path", "counter.count"],
        ["fork"], ["fork", "try", "it"], ["fork", "start"], ["bookmark", "--remove"], ["bookmark", "a", "3", "--remove"],
    ])
    func `an invalid command line is refused as a usage error`(arguments: [String]) throws {
        let error = #expect(throws: (any Error).self) { try Todoctl.parseAsRoot(arguments) }
        #expect(Todoctl.exitCode(for: try #require(error)).rawValue == 64)
    }

    @Test func `a single dash is standard input, and negative ids are not options`() throws {
        #expect((try Todoctl.parseAsRoot(["dispatch", "-"]) as? Dispatch)?.json == "-")
        #expect((try Todoctl.parseAsRoot(["draft", ""]) as? DraftVerb)?.words == [""])
        #expect((try Todoctl.parseAsRoot(["list", "--at", "-3"]) as? List)?.moment.text == "-3")
        #expect((try Todoctl.parseAsRoot(["log", "--from", "-3", "--to", "-1"]) as? Log)?.from == "-3")
        #expect((try Todoctl.parseAsRoot(["diff", "@-3", "@-1", "todos"]) as? Diff)?.path == "todos")
        #expect((try Todoctl.parseAsRoot(["posts", "--at", "yesterday"]) as? PostsList)?.moment.text == "yesterday")
    }

    @Test func `a title comes after two dashes, and all words before them select todos`() throws {
        let words = try FilterOption.spelled(["edit", "4", "5", "--due", "today", "--", "Buy", "-n", "milk"])
        let edit = try #require(try Todoctl.parseAsRoot(words) as? Edit)
        #expect(edit.selection.words == ["4", "5"])
        #expect(edit.title == ["Buy -n milk"])
        #expect(edit.fields.due == "today")
        #expect((try Todoctl.parseAsRoot(["edit", "4", "--title", "Buy"]) as? Edit)?.title == ["Buy"])
    }

    @Test(arguments: [
        (["list", "-home", "bank"], ["list", "not", "+home", "bank"]),
        (["remove", "3", "-ny"], ["remove", "3", "-ny"]), (["edit", "3", "-d=friday"], ["edit", "3", "-d=friday"]),
        (["list", "-h"], ["list", "-h"]), (["list", "-jh"], ["list", "-jh"]), (["list", "-jo"], ["list", "not", "+jo"]),
        (["edit", "3", "-d", "-home", "-n"], ["edit", "3", "-d", "-home", "-n"]),
        (["list", "-t", "a", "-j", "-home"], ["list", "-t", "a", "-j", "not", "+home"]),
        (["list", "-w", "--", "-w"], ["list", "-w", "--", "-w"]), (["list", "-\"a b\""], ["list", "not", "+\"a b\""]),
        (["list", "--at", "-3", "-home"], ["list", "--at", "-3", "not", "+home"]),
        (["list", "--search", "-home"], ["list", "--search", "-home"]),
        (["list", "--tag=a", "-home"], ["list", "--tag=a", "not", "+home"]),
        (["edit", "3", "--", "-home", "x"], ["edit", "3", "--title=-home x"]),
        (["done", "--", "-home"], ["done", "--", "-home"]), (["add", "-home"], ["add", "-home"]),
        (["log", "-home"], ["log", "-home"]),
        (["export", "--format", "csv", "--force", "-home", "-"], ["export", "--format", "csv", "--force", "not", "+home", "-"]),
    ])
    func `a dash before a tag is not an option`(arguments: [String], spelled: [String]) throws {
        #expect(try FilterOption.spelled(arguments) == spelled)
    }

    @Test(arguments: ["-ny", "-yn", "-jny"]) func `letters after one dash are options of asking verbs`(letters: String)
        throws
    {
        let words = [
            "edit": ["-p", "1"], "move": ["--top"], "revert": ["--to", "3"], "restore": ["counter.count", "--from", "3"],
            "whatif": ["--skip", "3", "--apply"],
        ]
        let asking = Self.leaves.filter { _, verb in
            verb.configuration.subcommands.isEmpty && HelpText.options(of: verb).contains { $0.name == "yes" && $0.letter == "y" }
        }
        #expect(asking.count >= 8)
        for (name, verb) in asking {
            let takesFilter = FilterOption.isTaken(by: verb)
            let arguments =
                name.split(separator: " ").map(String.init) + (takesFilter ? ["3"] : []) + (words[name] ?? []) + [letters]
            let spelled = try FilterOption.spelled(arguments)
            #expect(spelled == arguments)
            guard takesFilter || words[name] != nil else { continue }
            let said = String(describing: try Todoctl.parseAsRoot(spelled))
            #expect(said.contains("dryRun: true") && said.contains("yes: true"), "\(arguments): \(said)")
        }
    }

    @Test(arguments: ["done", "reopen", "remove", "move", "edit"])
    func `an unknown option is refused by a verb that changes todos`(verb: String) throws {
        for word in ["-nx", "-home", "-\"to do\""] {
            let failure = #expect(throws: Failure.self, "\(verb) \(word)") { try FilterOption.spelled([verb, "3", word]) }
            #expect(failure?.code == .usage && failure?.message.hasSuffix("not +\(word.dropFirst())") == true, "\(verb) \(word)")
        }
        #expect(try FilterOption.spelled([verb, "3", "--", "-home"]).contains { $0.hasSuffix("-home") })
    }

    @Test func `the common options have a letter, which is the same for every verb`() throws {
        let add = try #require(
            try Todoctl.parseAsRoot([
                "add", "Call", "-d", "friday", "-p", "2", "-t", "a", "-w", "today", "-r", "1h before", "-e", "week", "-j",
            ]) as? Add)
        #expect(add.words == ["Call"] && add.options.json && add.fields.tag == ["a"] && add.fields.priority?.level == 2)
        #expect(add.fields.due == "friday" && add.fields.waitUntil == "today" && add.fields.every == "week")
        #expect(add.fields.remind == "1h before")
        let edit = try #require(try Todoctl.parseAsRoot(["edit", "3", "-n", "-y", "--wait", "friday"]) as? Edit)
        #expect(edit.selection.consent.dryRun && edit.selection.consent.yes && edit.fields.waitUntil == "friday")
        var names: [Character: Set<String>] = [:]
        for (_, verb) in Self.leaves {
            for option in HelpText.options(of: verb) {
                if let letter = option.letter { names[letter, default: []].insert(option.name) }
            }
        }
        #expect(
            names == [
                "d": ["due"], "p": ["priority"], "t": ["tag"], "w": ["wait-until", "wait"], "r": ["remind"], "e": ["every"],
                "n": ["dry-run"], "y": ["yes"], "j": ["json"],
            ])
        for (words, verb) in Self.leaves {
            for option in HelpText.options(of: verb) where ["dry-run", "yes", "json"].contains(option.name) {
                #expect(option.letter != nil, "\(words) --\(option.name)")
            }
        }
    }

    @Test func `verbs of other programs are accepted everywhere`() {
        #expect(Todoctl.unaliased(["ls", "+work"]) == ["list", "+work"])
        #expect(Todoctl.unaliased(["rm", "--help"]) == ["remove", "--help"])
        #expect(Todoctl.unaliased(["help", "do"]) == ["help", "done"] && Todoctl.unaliased(["help"]) == ["help"])
        #expect(Todoctl.unaliased(["add", "ls"]) == ["add", "ls"] && Todoctl.unaliased([]) == [])
        let completed = CompletedTodoctl.configuration.subcommands
        for (alias, verb) in Todoctl.aliases {
            let found = completed.first { $0._commandName == alias }.map { HelpText.options(of: $0) }
            let expected = Todoctl.configuration.subcommands.first { $0._commandName == verb }.map { HelpText.options(of: $0) }
            #expect(found != nil && found == expected, "\(alias)")
        }
    }

    @Test func `every verb states its name, because deriving it from its type takes half of the startup time`() {
        for (words, verb) in Self.leaves { #expect(verb.configuration.commandName != nil, "\(words)") }
    }

    @Test func `the help of every verb begins with examples of that verb`() {
        for (words, verb) in Self.leaves {
            let help = Todoctl.helpMessage(for: verb, columns: 100)
            let lines = help.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let examples = lines.firstIndex(of: "EXAMPLES:")
            let usage = lines.firstIndex { $0.hasPrefix("USAGE:") }
            #expect(examples != nil && usage != nil && (examples ?? 9) < (usage ?? 0), "\(words)")
            // The list of a verb may be called by the verb alone.
            let name = words.hasSuffix(" list") ? String(words.dropLast(5)) : words
            if let examples { #expect(lines[examples + 1].hasPrefix("todoctl \(name)"), "\(words)") }
        }
    }

    @Test func `every example of the help can be parsed`() throws {
        for (_, verb) in Self.leaves {
            for line in verb.configuration.discussion.split(separator: "\n") where line.hasPrefix("  todoctl ") {
                let command = line.split(separator: ";")[0].split(separator: ">")[0].split(separator: "<")[0]
                #expect(throws: Never.self, "\(line)") {
                    let words = try Todoctl.takingGlobals(from: Self.shellWords(String(command)).dropFirst()) { _, _ in }
                    _ = try Todoctl.parseAsRoot(FilterOption.spelled(ReminderTime.joined(words)))
                }
            }
        }
    }

    @Test func `the manual page describes every verb and no other`() throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
                .appending(path: "Sources/Programs/todoctl/Manual/todoctl.1"), encoding: .utf8)
        let told = Set(
            page.split(separator: "\n").compactMap { line in
                line.hasPrefix(".It Cm ") ? line.split(separator: " ")[2] : nil
            }.map(String.init))
        #expect(told == Set(Self.verbs))
        for (_, verb) in Self.leaves {
            for option in HelpText.options(of: verb) {
                #expect(page.contains("Fl -\(option.name)"), "\(verb._commandName) --\(option.name)")
                if let letter = option.letter { #expect(page.contains("Fl \(letter)"), "\(verb._commandName) -\(letter)") }
            }
        }
    }

    @Test func `completions can be generated for each shell`() {
        for shell in Completions.Shell.allCases {
            let script = CompletionShell(rawValue: shell.rawValue).map { CompletedTodoctl.completionScript(for: $0) } ?? ""
            for verb in Self.verbs { #expect(script.contains(verb), "\(shell) \(verb)") }
            // Options before a verb, which are removed before parsing.
            for option in ["socket", "fork", "wait"] {
                let word = shell == .fish ? "-l '\(option)'" : "--\(option)"
                let ofVerbs = Todoctl.completionScript(for: CompletionShell(rawValue: shell.rawValue) ?? .bash)
                #expect(script.ranges(of: word).count > ofVerbs.ranges(of: word).count, "\(shell) \(option)")
            }
        }
    }

    @Test func `actions have the form of the wire`() throws {
        var draft = TodoDraft(title: "Buy")
        #expect(TodoAction.add(draft).description == #"{"todos":{"add":{"items":[{"title":"Buy"}]}}}"#)
        draft.note = "n"
        draft.tags = ["a"]
        draft.priority = 2
        draft.due = Due(text: "2026-12-01")
        #expect(
            TodoAction.add(draft).description
                == #"{"todos":{"add":{"items":[{"title":"Buy","note":"n","tags":["a"],"priority":2,"due":"2026-12-01"}]}}}"#)
        #expect(TodoAction.edit(3, .init(after: [4, 5])).description == #"{"todos":{"edit":{"id":3,"after":[4,5]}}}"#)
        #expect(TodoAction.edit(3, .init(every: "")).description == #"{"todos":{"edit":{"id":3,"every":""}}}"#)
        #expect(TodoAction.complete(3).description == #"{"todos":{"complete":{"id":3}}}"#)
        #expect(
            TodoAction.complete(3, on: Day(year: 2026, month: 12, day: 1)).description
                == #"{"todos":{"complete":{"id":3,"day":"2026-12-01"}}}"#)
        #expect(TodoAction.edit(3, .init(wait: .some(nil))).description == #"{"todos":{"edit":{"id":3,"wait":""}}}"#)
        #expect(TodoAction.edit(3, .init(due: .some(nil))).description == #"{"todos":{"edit":{"id":3,"due":""}}}"#)
        #expect(TodoAction.move(3, to: 0).description == #"{"todos":{"move":{"id":3,"index":0}}}"#)
        #expect(TodoAction.counter("increment").description == #"{"counter":{"increment":{}}}"#)
    }

    @Test func `actions as JSON are one or many`() throws {
        #expect(try Dispatch.actions(Array(#"{"a":{}}"#.utf8)).count == 1)
        #expect(try Dispatch.actions(Array(#"[{"a":{}},{"b":{}}]"#.utf8)).count == 2)
        for text in ["", "1", "[1]", #"{"a":{}} x"#] {
            let failure = #expect(throws: Failure.self) { try Dispatch.actions(Array(text.utf8)) }
            #expect(failure?.code == .usage)
        }
    }

    @Test func `the socket is the one that was named, else the first that exists`() throws {
        func path(_ option: String?, _ variables: [String: String], existing: Set<String>) throws -> String {
            try SocketChoice.path(option: option, environment: { variables[$0] }, uid: 7) { existing.contains($0) }
        }
        let session = ["XDG_RUNTIME_DIR": "/run/user/7"]
        let both: Set = ["/run/user/7/todod/org.todod.Store", "/run/todod/org.todod.Store"]
        #expect(try path("/a", ["TODOD_SOCKET": "/b"], existing: both) == "/a")
        #expect(try path(nil, ["TODOD_SOCKET": "/b"], existing: both) == "/b")
        #expect(try path(nil, session, existing: both) == "/run/user/7/todod/org.todod.Store")
        #expect(try path(nil, session, existing: ["/run/todod/org.todod.Store"]) == "/run/todod/org.todod.Store")
        #expect(try path(nil, session, existing: []) == "/run/user/7/todod/org.todod.Store")
    }

    @Test(arguments: [
        ("org.todod.feature.Todos.TitleTooShort", 1), ("org.todod.feature.Pump.StoreBusy", 1),
        ("org.todod.Store.StaleSequence", 1), ("org.todod.Store.BadAction", 64),
        ("org.todod.Store.BadArguments", 64),
        ("org.varlink.service.InvalidParameter", 64), ("org.varlink.service.MethodNotFound", 64),
        ("org.todod.Store.DamagedRecord", 65), ("org.todod.Store.FutureSequence", 1), ("org.todod.Store.PrunedSequence", 1),
        ("org.todod.Store.UnknownBookmark", 1), ("org.todod.Store.BadBookmark", 64), ("org.todod.Store.BadExpression", 64),
        ("org.todod.Store.EmptyRange", 64),
        ("org.todod.Store.StorageFull", 74), ("org.todod.Store.Unreadable", 74), ("org.todod.Store.StoreBusy", 75),
        ("org.todod.Store.Stopping", 75), ("org.todod.Store.Overtaken", 75), ("org.todod.Store.BackupRefused", 77),
        ("org.varlink.service.PermissionDenied", 77),
    ])
    func `each error of the daemon has its exit code`(error: String, code: Int32) {
        #expect(Failure(CallError(error), socket: "/s").code.rawValue == code)
    }

    @Test(arguments: [
        ("UnknownBookmark", "todoctl bookmark"), ("ReadOnly", "without --inspect"),
        ("DamagedRecord", "todoctl verify"), ("DamagedRecord", "--restore DIRECTORY --data NEW-DIRECTORY"),
        ("NothingToRedact", "todoctl log --search"), ("CommandClosed", "todoctl commands"),
        ("CommandHeld", "todoctl commands release"),
    ])
    func `an error without a remedy in its message is printed with one`(error: String, remedy: String) {
        let said: [Value.Field] = [.init("message", "So it is.")]
        let failure = Failure(CallError("org.todod.Store." + error, said), socket: "/s")
        #expect(failure.message.hasPrefix("So it is.\n") && failure.message.contains(remedy))
        for passing in ["StoreBusy", "Overtaken"] {
            #expect(Failure(CallError("org.todod.Store." + passing, said), socket: "/s").message == "So it is.")
        }
    }

    @Test func `an unreachable daemon is reported with the command that starts it`() {
        #expect(Failure(.unreachable(2), socket: "/run/todod/org.todod.Store").message.contains("systemctl start todod.socket"))
        #expect(Failure(.unreachable(111), socket: "/elsewhere").message.contains("todod --socket /elsewhere"))
        let denied = Failure(.unreachable(13), socket: "/run/todod/org.todod.Store")
        #expect(denied.code == .notPermitted && denied.message.contains("group todod"))
    }

    /// Splits as a shell does, for plain words and words in single or double quotes.
    private static func shellWords(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}

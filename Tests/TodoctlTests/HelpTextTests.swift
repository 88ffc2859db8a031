import ArgumentParser
import Terminal
import Testing

@testable import todoctl

@Suite struct HelpTextTests {
    private static let verbs: [any ParsableCommand.Type] = [Todoctl.self] + VerbTests.leaves.map(\.verb)

    @Test(arguments: [60, 80, 100]) func `the help of every verb fits the terminal and uses the whole width`(columns: Int) {
        for verb in Self.verbs {
            let lines = HelpText.help(of: verb, columns: columns).split(separator: "\n", omittingEmptySubsequences: false)
            let usage = lines.firstIndex { $0.hasPrefix("USAGE: ") } ?? 0
            for (index, (line, next)) in zip(lines, lines.dropFirst() + [""]).enumerated() {
                // An example is a line to copy, so it is not wrapped.
                let isExample = index < usage && line.hasPrefix("  ")
                if !isExample || columns >= 80 { #expect(Width.columns(String(line)) <= columns, "\(line)") }
                guard !line.hasPrefix(" "), !line.hasSuffix(":"), !line.isEmpty, let word = next.split(separator: " ").first,
                    !next.hasPrefix(" ")
                else { continue }
                #expect(line.count + 1 + word.count > columns, "\(verb._commandName): \(line)")
            }
        }
    }

    @Test func `wrapping the help loses no word`() {
        for verb in Self.verbs {
            let words = { (text: String) in text.split { $0 == " " || $0 == "\n" } }
            #expect(words(HelpText.help(of: verb, columns: 80)) == words(Todoctl.helpMessage(for: verb, columns: 200)))
        }
    }

    @Test func `usage is wrapped between options and not within one`() {
        let lines = HelpText.help(of: Restore.self, columns: 50).split(separator: "\n")
        let usage = lines.firstIndex { $0.hasPrefix("USAGE: ") } ?? 0
        #expect(lines[usage] == "USAGE: todoctl restore [--socket <path>] [--json]")
        #expect(lines[usage + 1] == "       <path> --from <point> [--dry-run] [--yes]")
    }

    @Test func `a missing value of an option is reported with an example`() throws {
        for (words, verb) in VerbTests.leaves {
            for option in HelpText.options(of: verb) where option.hasValue && (option.name != "exec" || verb != FollowVerb.self) {
                for name in ["--" + option.name] + (option.letter.map { ["-\($0)"] } ?? []) {
                    let line = words.split(separator: " ").map(String.init) + [name]
                    let error = #expect(throws: (any Error).self) { try Todoctl.parseAsRoot(line) }
                    let said = HelpText.mistake(Todoctl.fullMessage(for: try #require(error)), columns: 80)
                    #expect(said.hasPrefix("Error: Missing value for '\(name) "), "\(line): \(said)")
                    let isShown = verb.configuration.discussion.split(separator: "\n").contains {
                        $0.hasPrefix("  todoctl ") && $0.contains(" \(name) ")
                    }
                    #expect(said.contains("\nExample: todoctl ") == isShown, "\(line): \(said)")
                }
            }
        }
    }

    @Test func `the usage in an error is wrapped between options as well`() throws {
        let error = #expect(throws: (any Error).self) { try Todoctl.parseAsRoot(["restore"]) }
        let said = HelpText.mistake(Todoctl.fullMessage(for: try #require(error)), columns: 50)
        #expect(said.contains("\nUsage: todoctl restore [--socket <path>] [--json]\n       <path> --from <point> "), "\(said)")
    }

    @Test(arguments: [
        (["compact"], "\nExample: todoctl compact --before"), (["fork"], "\nExample: todoctl fork make try --at yesterday"),
        (["restore", "counter.count"], "\nExample: todoctl restore 'todos.items[12]' --from yesterday"),
        (["list", "--sort", "size"], "\nExample: todoctl list is:overdue --sort due\n"),
        (["list", "--limit", "a few"], "'--limit <count>': a whole number from 0 is expected.\n"),
        (["list", "--limit", "' is invalid for '"], "\nExample: todoctl list --limit 10\n"),
        (["list", "--limit", "-1"], "'-1' is invalid for '--limit <count>': a whole number from 0 is expected.\n"),
        (["log", "--limit", "-1"], "\nExample: todoctl log --limit 20 --diff\n"),
        (["log", "--origin", "4294967296"], ": a whole number from 0 to 4294967295 is expected.\n"),
        (["log", "--origin", "-1"], "\nExample: todoctl log --origin 1000 --from yesterday\n"),
        (["list", "--limit", "9223372036854775808"], ": a whole number from 0 to 9223372036854775807 is expected.\n"),
        (["steps", "--limit", "-1"], "'-1' is invalid for '--limit <number>': a whole number from 0 is expected.\n"),
        (["steps", "--limit", "x"], ": a whole number from 0 is expected.\n"),
        (["replay", "--speed", "-1"], ": a number from 0.001 to 1000000 is expected.\n"),
        (["replay", "--speed", "x"], ": a number from 0.001 to 1000000 is expected.\n"),
        (["follow", "mail", "--attempts", "-1"], ": a whole number from 1 is expected.\n"),
        (["dispatch", "{}", "--step", "0"], " --step 57\n"),
        (["series", "counter.count", "--every", "-1"], "--every takes day, hour, step or a number of records."),
        (["add", "x", "--priority", "-1"], "'-1' is invalid for '--priority <level>'"),
        (["repos", "choose", "--within", "-1"], "--within is a time such as 90s, 30min, 2h or 1d, not -1."),
        (["undo", "--count", "-1"], ": a whole number from 1 to 1000 is expected.\n"),
        (["move", "1", "--top", "--bottom"], "Error: --top and --bottom exclude each other.\n"),
        (["move", "1", "--top", "--to", "2"], "Error: --top and --to exclude each other.\n"),
        (["move", "1"], "Error: Missing place: give one of --top, --bottom, --to PLACE.\n"),
        (["move", "1", "--to", "0"], ": a whole number from 1 is expected.\n"),
        (
            ["compact", "--before", "3", "--forget-keys", "3"],
            ": expected a number of days such as 90d, at most 36525d.\n"
        ),
        (
            ["compact", "--before", "3", "--forget-keys", "3"],
            "\nExample: todoctl compact --before 2026-01-01 --forget-keys 90d\n"
        ),
        (["counter", "incremnt"], "\nExample: todoctl counter increment\n"),
        (["list", "--limt", "3"], "Error: There is no option --limt; did you mean --limit?\n"),
        (["--json", "list"], "Error: The option --json goes after the verb, not before it.\n"),
        (["--sockt", "x", "list"], "Error: There is no option --sockt; did you mean --socket?\n"),
        (["--wiat", "list"], "Error: There is no option --wiat; did you mean --wait?\n"),
        (["list", "--xylophone"], "Error: There is no option --xylophone.\n"),
        (["-j", "list"], "Error: The option -j goes after the verb, not before it.\n"),
        (["list", "-x"], "Error: There is no option -x. To exclude the tag x: not +x\n"),
        (["add", "Buy", "-x"], "Error: There is no option -x. Put -- before words that begin with a dash.\n"),
        (["add", "Buy", "-work"], "Error: There is no option -work. Put -- before words that begin with a dash.\nUsage: "),
        (["status", "-x"], "Error: There is no option -x.\n"),
        (["list", "--timeout", "3"], "Error: The option --timeout goes before the verb, not after it.\n"),
        (["edit", "3", "-due", "friday"], "Error: There is no option -due. Did you mean --due?\n"),
        (["add", "x", "-d"], "\nExample: todoctl add Call the bank -d friday -t phone -p high\n"),
    ])
    func `an error has a suggestion or an example`(arguments: [String], part: String) throws {
        let error = #expect(throws: (any Error).self) { try Todoctl.parseAsRoot(arguments) }
        let said = HelpText.mistake(Todoctl.fullMessage(for: try #require(error)), columns: 80)
        #expect(said.contains(part), "\(said)")
    }

    @Test(arguments: [
        ["--fork"], ["--socket"], ["--socket="], ["--wait=", "list"], ["--fork", ""], ["--wait", "5", "--socket"],
    ])
    func `a missing value of an option before the verb is reported as well`(arguments: [String]) {
        let failure = #expect(throws: Failure.self) { try Todoctl.takingGlobals(from: arguments[...]) { _, _ in } }
        #expect(failure?.code == .usage && failure?.message.contains("the value is missing") == true)
        #expect(failure?.message.contains("Example: todoctl --") == true)
    }
}

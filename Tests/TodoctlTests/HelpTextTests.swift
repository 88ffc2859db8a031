import ArgumentParser
import Testing

@testable import todoctl

@Suite struct HelpTextTests {
    private static let verbs: [any ParsableCommand.Type] = [Todoctl.self] + VerbTests.leaves.map(\.verb)

    @Test(arguments: [60, 80, 100]) func `the help of every verb fits the terminal, and its lines are full`(columns: Int) {
        for verb in Self.verbs {
            let lines = HelpText.help(of: verb, columns: columns).split(separator: "\n", omittingEmptySubsequences: false)
            let usage = lines.firstIndex { $0.hasPrefix("USAGE: ") } ?? 0
            for (index, (line, next)) in zip(lines, lines.dropFirst() + [""]).enumerated() {
                // An example is a line to copy, and stays one.
                let isExample = index < usage && line.hasPrefix("  ")
                if !isExample || columns >= 80 { #expect(Width.columns(String(line)) <= columns, "\(line)") }
                guard !line.hasPrefix(" "), !line.hasSuffix(":"), !line.isEmpty, let word = next.split(separator: " ").first,
                    !next.hasPrefix(" ")
                else { continue }
                #expect(line.count + 1 + word.count > columns, "\(verb._commandName): \(line)")
            }
        }
    }

    @Test func `wrapping the help loses no word of it`() {
        for verb in Self.verbs {
            let words = { (text: String) in text.split { $0 == " " || $0 == "\n" } }
            #expect(words(HelpText.help(of: verb, columns: 80)) == words(Todoctl.helpMessage(for: verb, columns: 200)))
        }
    }

    @Test func `usage is broken between options, and not within one`() {
        let lines = HelpText.help(of: Restore.self, columns: 50).split(separator: "\n")
        let usage = lines.firstIndex { $0.hasPrefix("USAGE: ") } ?? 0
        #expect(lines[usage] == "USAGE: todoctl restore [--socket <path>] [--json]")
        #expect(lines[usage + 1] == "       <path> --from <point> [--dry-run] [--yes]")
    }
}

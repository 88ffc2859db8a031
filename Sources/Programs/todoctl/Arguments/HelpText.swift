import ArgumentParser
import ChronicleValues
import Terminal

/// Help texts, wrapped to the terminal's width.
///
/// The parser would wrap each source line separately.
enum HelpText {
    static func help(of verb: any ParsableCommand.Type, columns: Int) -> String {
        let width = max(columns, columnsMin)
        var (lines, paragraph) = ([String](), [Substring]())
        var isExample = true
        func endParagraph() {
            if !paragraph.isEmpty { lines += filled(paragraph, label: "", width) }
            paragraph = []
        }
        for line in Todoctl.helpMessage(for: verb, columns: columnsUnbroken).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if let usage = line.dropping(usageMark) {
                endParagraph()
                isExample = false
                lines += filled(bracketed(usage), label: usageMark, width)
            } else if line.hasPrefix("  ") {
                endParagraph()
                lines += isExample ? [String(line)] : row(line, width)
            } else if line.isEmpty || line.hasSuffix(":") && line.uppercased() == line {
                endParagraph()
                lines.append(String(line))
            } else {
                paragraph += line.split(separator: " ")
            }
        }
        endParagraph()
        return lines.joined(separator: "\n")
    }

    static func verb(namedIn text: String) -> (any ParsableCommand.Type)? {
        guard
            let usage = text.split(separator: "\n").lazy.compactMap({ $0.dropping(usageMark) ?? $0.dropping(usageMarkOfMistake) })
                .first
        else { return nil }
        var verb: any ParsableCommand.Type = Todoctl.self
        for word in usage.split(separator: " ").dropFirst() {
            guard let next = verb.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
            verb = next
        }
        return verb
    }

    static func takesArguments(_ verb: any ParsableCommand.Type) -> Bool {
        Todoctl.helpMessage(for: verb, columns: columnsUnbroken).contains("\nARGUMENTS:\n")
    }

    /// A parse error with an example, or with a suggestion for an unknown option.
    ///
    /// Usage is wrapped as in the help.
    static func mistake(_ text: String, columns: Int) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let first = lines.first, let verb = verb(namedIn: text) else { return text }
        if let unknown = first.dropping("Error: Unknown option '--") {
            let option = String(unknown.prefix { $0 != "'" })
            // Global options are parsed before the verb.
            let isBeforeVerb = verb == Todoctl.self
            let names = options(of: isBeforeVerb ? CompletedTodoctl.self : verb).map(\.name)
            if isBeforeVerb, Todoctl.configuration.subcommands.contains(where: { options(of: $0).contains { $0.name == option } })
            {
                lines[0] = "Error: The option --\(option) goes after the verb, not before it."
            } else if options(of: CompletedTodoctl.self).contains(where: { $0.name == option }) {
                lines[0] = "Error: The option --\(option) goes before the verb, not after it."
            } else {
                let question = Spelling.question(about: option, among: names, behind: "--").map { "; \($0)" }
                lines[0] = "Error: There is no option --\(option)" + (question ?? ".")
            }
        } else if let unknown = first.dropping("Error: Unknown option '-") {
            let letters = String(unknown.prefix { $0 != "'" })
            if verb == Todoctl.self,
                Todoctl.configuration.subcommands.contains(where: { options(of: $0).contains { $0.isNamed(by: "-" + letters) } })
            {
                lines[0] = "Error: The option -\(letters) goes after the verb, not before it."
            } else {
                lines[0] = "Error: " + noOption(letters, of: verb)
            }
            // The parser's second line about combined letters.
            if lines.count > 1, lines[1].hasPrefix("   or: ") { lines.remove(at: 1) }
        } else if let usage = lines.firstIndex(where: { $0.hasPrefix(usageMarkOfMistake) }),
            let example = refused(in: first).flatMap(verb.configuration.example)
        {
            lines.insert("Example: \(example)", at: usage)
        }
        let width = max(columns, columnsMin)
        return lines.flatMap { line -> [String] in
            line.dropping(usageMarkOfMistake).map { filled(bracketed($0), label: usageMarkOfMistake, width) } ?? [line]
        }.joined(separator: "\n")
    }

    static func noOption(_ letters: String, of verb: any ParsableCommand.Type) -> String {
        let (name, said) = (Visible.text(letters), "There is no option -\(Visible.text(letters)).")
        if options(of: verb).contains(where: { $0.name == letters }) { return said + " Did you mean --\(name)?" }
        guard takesArguments(verb) else { return said }
        return said
            + (FilterOption.isTaken(by: verb)
                ? " To exclude the tag \(name): not +\(name)" : " Put -- before words that begin with a dash.")
    }

    private static func refused(in line: String) -> Substring? {
        let quoted: Substring?
        if line.hasPrefix("Error: Missing ") {
            quoted = line.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first
        } else {
            quoted = line.ranges(of: wrongMark).last.map { line[$0.upperBound...] }
        }
        return quoted?.prefix { !" '".contains($0) }
    }

    struct VerbOption: Equatable {
        var name: String
        var letter: Character?
        var hasValue: Bool

        /// Whether a word is this option: `--due`, `--due=friday`, `-d`.
        func isNamed(by word: String) -> Bool {
            word == "--" + name || word.hasPrefix("--\(name)=") || letter.map { word == "-\($0)" } == true
        }
    }

    /// A verb's options except `--help`; one entry per name.
    static func options(of verb: any ParsableCommand.Type) -> [VerbOption] {
        verb.helpMessage(columns: columnsUnbroken).split(separator: "\n").flatMap { line -> [VerbOption] in
            guard line.hasPrefix("  -") else { return [] }
            let words = line.split(separator: " ")
            let labels = words.prefix { $0.hasPrefix("-") }
            // A flag with an inversion has both names in its label.
            let names = labels.flatMap { $0.split(whereSeparator: { ",/".contains($0) }) }
            guard !names.contains("--help") else { return [] }
            let hasValue = words.dropFirst(labels.count).first?.hasPrefix("<") == true
            let letter = names.first { !$0.hasPrefix("--") }?.last
            return names.compactMap { $0.dropping("--") }.map {
                VerbOption(name: String($0), letter: letter, hasValue: hasValue)
            }
        }
    }

    /// Whether the word after this one is an option's value: true for `--due` and `-d`, not for `--due=friday`.
    static func takesValue(_ word: String, of name: String) -> Bool {
        word.hasPrefix("-") && !word.contains("=") && options(named: name).contains { $0.hasValue && $0.isNamed(by: word) }
    }

    /// Whether all letters after a dash are flags: `ny`.
    static func areFlags(_ letters: Substring, of name: String) -> Bool {
        letters.allSatisfy((options(named: name).compactMap { $0.hasValue ? nil : $0.letter } + ["h"]).contains)
    }

    static func options(named name: String) -> [VerbOption] {
        let verb = Todoctl.configuration.subcommands.first { $0._commandName == name }
        return verb.map { [$0] + $0.configuration.subcommands }?.flatMap(options(of:)) ?? []
    }

    private static let wrongMark = "' is invalid for '"
    private static let usageMark = "USAGE: "
    private static let usageMarkOfMistake = "Usage: "
    // Wide enough that the parser never wraps.
    private static let columnsUnbroken = 1 << 20
    private static let columnsMin = 40
    private static let labelColumns = 26

    private static func row(_ line: Substring, _ width: Int) -> [String] {
        if line.hasPrefix("  See '") { return filled(line.split(separator: " "), label: "  ", width) }
        let label = line.prefix(labelColumns)
        // A longer label has its own line.
        guard line.count > labelColumns, label.last == " " else { return [String(line)] }
        return filled(line.dropFirst(labelColumns).split(separator: " "), label: String(label), width)
    }

    private static func filled(_ words: [Substring], label: String, _ width: Int) -> [String] {
        var (lines, line, isEmpty) = ([String](), label, true)
        for word in words {
            if !isEmpty, Width.columns(line) + 1 + Width.columns(String(word)) > width {
                lines.append(line)
                (line, isEmpty) = (String(repeating: " ", count: label.count), true)
            }
            line += isEmpty ? word : " " + word
            isEmpty = false
        }
        return lines + [line]
    }

    private static func bracketed(_ usage: Substring) -> [Substring] {
        var (words, start, depth) = ([Substring](), usage.startIndex, 0)
        for index in usage.indices {
            switch usage[index] {
            case "[": depth += 1
            case "]": depth -= 1
            case " " where depth == 0 && !usage[start..<index].hasPrefix("-"):
                words.append(usage[start..<index])
                start = usage.index(after: index)
            case " " where depth == 0 && usage[start..<index].contains(" "):
                words.append(usage[start..<index])
                start = usage.index(after: index)
            default: break
            }
        }
        return words + [usage[start...]]
    }
}

extension CommandConfiguration {
    init(commandName: String, abstract: String, examples first: String, _ others: String...) {
        self.init(
            commandName: commandName, abstract: abstract,
            discussion: (["EXAMPLES:", first] + others).joined(separator: "\n  "))
    }

    /// The first example with the option; for an argument, the first example.
    fileprivate func example(of missing: Substring) -> String? {
        let isOption = missing.hasPrefix("-")
        return discussion.split(separator: "\n").first {
            $0.hasPrefix("  todoctl ") && (!isOption || $0.contains(" \(missing) "))
        }.map { String($0.dropFirst(2)) }
    }
}

extension StringProtocol where SubSequence == Substring {
    fileprivate func dropping(_ prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}

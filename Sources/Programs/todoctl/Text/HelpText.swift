import ArgumentParser
import Values

/// The help of verbs, as wide as the terminal.
///
/// The parser wraps each line of a text by itself, and so leaves those short that the source breaks.
enum HelpText {
    /// The help of a verb: examples stay whole, everything else is wrapped.
    static func help(of verb: any ParsableCommand.Type, columns: Int) -> String {
        let width = max(columns, columnsMin)
        var (lines, paragraph) = ([String](), [Substring]())
        var isExample = true
        func endParagraph() {
            if !paragraph.isEmpty { lines += filled(paragraph, behind: "", width) }
            paragraph = []
        }
        for line in Todoctl.helpMessage(for: verb, columns: columnsUnbroken).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if let usage = line.dropping(usageMark) {
                endParagraph()
                isExample = false
                lines += filled(bracketed(usage), behind: usageMark, width)
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

    /// The verb whose usage a text of the parser names, if it names any.
    static func verb(namedIn text: String) -> (any ParsableCommand.Type)? { verbs(namedIn: text).last }

    // It, and those that it stands below, the outermost first.
    private static func verbs(namedIn text: String) -> [any ParsableCommand.Type] {
        guard let usage = text.split(separator: "\n").lazy.compactMap({ $0.dropping(usageMark) ?? $0.dropping("Usage: ") }).first
        else { return [] }
        var path: [any ParsableCommand.Type] = [Todoctl.self]
        for word in usage.split(separator: " ").dropFirst() {
            guard let next = path.last?.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
            path.append(next)
        }
        return path
    }

    /// What the parser says of a mistake; of what is missing with an example that has it, and of a verb that there is not with the one meant.
    static func mistake(_ text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let verbs = verbs(namedIn: text)
        guard let first = lines.first, let verb = verbs.last else { return text }
        let quoted = first.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first ?? ""
        // Where a group does one of its verbs without being told, what is none of them is taken for an argument of that one.
        let group = verbs.last { $0 == verb ? !$0.configuration.subcommands.isEmpty : $0.configuration.defaultSubcommand == verb }
        if first.contains("nexpected argument"), let group {
            let names = group.configuration.subcommands.map { $0._commandName }
            let question = Spelling.question(about: String(quoted), among: names)
            lines[0] = "Error: There is no verb named \(quoted)" + (question.map { "; \($0)" } ?? ".")
        } else if first.hasPrefix("Error: Missing "), let usage = lines.firstIndex(where: { $0.hasPrefix("Usage: ") }),
            let example = verb.configuration.example(of: quoted.prefix { $0 != " " })
        {
            lines.insert("Example: \(example)", at: usage)
        }
        return lines.joined(separator: "\n")
    }

    private static let usageMark = "USAGE: "
    // At which the parser breaks nothing; whatever stands behind the label of an option begins in the same column all the same.
    private static let columnsUnbroken = 1 << 20
    private static let columnsMin = 40
    private static let labelColumns = 26

    // An option, an argument or a verb, with what is said of it in a column of its own.
    private static func row(_ line: Substring, _ width: Int) -> [String] {
        if line.hasPrefix("  See '") { return filled(line.split(separator: " "), behind: "  ", width) }
        let label = line.prefix(labelColumns)
        // One that is wider stands alone, and what is said of it in the next line.
        guard line.count > labelColumns, label.last == " " else { return [String(line)] }
        return filled(line.dropFirst(labelColumns).split(separator: " "), behind: String(label), width)
    }

    // Puts as many words in each line as fit; all lines but the first begin under the first word.
    private static func filled(_ words: [Substring], behind label: String, _ width: Int) -> [String] {
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

    // What stands in brackets is one word, and so is an option with its value.
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
    /// The first example that says an option; of an argument, `<name>`, the first of all.
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

import ArgumentParser
import ChronicleValues

/// Refuses unknown verbs before parsing; otherwise a group's default verb would take them as its argument, and `fork lst` would
/// create a fork of that name.
enum VerbNames {
    /// Refuses a word in place of a verb that is no verb.
    ///
    /// If the group's default verb takes a name, refuses only likely typing mistakes.
    ///
    /// - Parameters:
    ///   - globals: the arguments before these, for the suggested command.
    ///   - aliases: the user's aliases, for suggestions.
    static func check(
        _ arguments: [String], after globals: [String] = [], aliases: [String] = []
    ) throws(Failure) {
        // `help VERB` is handled by the parser.
        let isHelp = arguments.first == "help"
        var (group, path, rest) = (Todoctl.self as any ParsableCommand.Type, "todoctl", arguments.dropFirst(isHelp ? 1 : 0))
        while !group.configuration.subcommands.isEmpty {
            let verbs = group.configuration.subcommands
            let words = droppingOptions(rest, of: group)
            guard let word = words.first, !word.hasPrefix("-") else { return }
            guard let verb = verbs.first(where: { $0._commandName == word }) else {
                let names = verbs.map { $0._commandName } + (group == Todoctl.self ? aliases : [])
                let question = Spelling.question(about: word, among: names)
                let takesName =
                    !isHelp && word != "help" && group.configuration.defaultSubcommand.map(HelpText.takesArguments) == true
                let usual = takesName ? group.configuration.defaultSubcommand?._commandName : nil
                guard usual == nil || question != nil else { return }
                let place = group == Todoctl.self ? "" : " of \(group._commandName)"
                let name = Visible.text(word)
                let line = Array(arguments[..<rest.startIndex]) + [usual ?? ""] + Array(rest)
                // The default verb may not accept the word.
                let isName = usual != nil && (try? Todoctl.parseAsRoot(FilterOption.spelled(line))) != nil
                let remedy = isName ? "If it is a name: todoctl \(spelled(globals + line))" : "To see all: \(path) --help"
                throw Failure(.usage, "There is no verb \(name)\(place)" + (question.map { "; \($0)" } ?? ".") + "\n" + remedy)
            }
            (group, path, rest) = (verb, "\(path) \(word)", words.dropFirst())
        }
    }

    // Quoted for a shell.
    private static func spelled(_ arguments: [String]) -> String {
        arguments.map { word in
            let isPlain = !word.isEmpty && word.utf8.allSatisfy { plain.contains($0) }
            return Visible.text(isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'")
        }.joined(separator: " ")
    }

    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+=,-".utf8)

    // Drops options before a verb, with their values.
    private static func droppingOptions(_ arguments: ArraySlice<String>, of group: any ParsableCommand.Type) -> ArraySlice<String>
    {
        // A fast path: listing the options takes a millisecond.
        guard arguments.first?.hasPrefix("-") == true else { return arguments }
        let options = HelpText.options(of: group.configuration.defaultSubcommand ?? Head.self)
        var rest = arguments
        while let word = rest.first,
            let option = options.first(where: { $0.isNamed(by: word) })
        {
            rest = rest.dropFirst(option.hasValue && !word.contains("=") ? 2 : 1)
        }
        return rest
    }
}

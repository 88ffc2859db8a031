import ArgumentParser
import ChronicleValues

/// Finds a verb that there is not before the parser takes it for something else: it would be an argument of the verb that its group does
/// without being told, and `fork lst` make a fork of that name.
enum VerbNames {
    /// Refuses the first word of a command line that stands where a verb is expected and is none.
    ///
    /// Where the group does a verb without being told that takes a word, only what looks like another verb is refused.
    ///
    /// - Parameters:
    ///   - globals: what was typed before those, and belongs to what is said to do.
    ///   - aliases: the person's own names for verbs, one of which may be meant.
    static func check(
        _ arguments: [String], behind globals: [String] = [], aliases: [String] = []
    ) throws(Failure) {
        // The parser itself understands help before a verb.
        let isHelp = arguments.first == "help"
        var (group, path, rest) = (Todoctl.self as any ParsableCommand.Type, "todoctl", arguments.dropFirst(isHelp ? 1 : 0))
        while !group.configuration.subcommands.isEmpty {
            let verbs = group.configuration.subcommands
            let words = behindOptions(rest, of: group)
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
                // The verb that is usual there may take no more than a name, or need something else.
                let isName = usual != nil && (try? Todoctl.parseAsRoot(FilterOption.spelled(line))) != nil
                let remedy = isName ? "If it is a name: todoctl \(spelled(globals + line))" : "To see all: \(path) --help"
                throw Failure(.usage, "There is no verb \(name)\(place)" + (question.map { "; \($0)" } ?? ".") + "\n" + remedy)
            }
            (group, path, rest) = (verb, "\(path) \(word)", words.dropFirst())
        }
    }

    // As it is typed into a shell.
    private static func spelled(_ arguments: [String]) -> String {
        arguments.map { word in
            let isPlain = !word.isEmpty && word.utf8.allSatisfy { plain.contains($0) }
            return Visible.text(isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'")
        }.joined(separator: " ")
    }

    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+=,-".utf8)

    // Drops the options that stand before a verb, with their values: those of every verb, and those of the verb that is usual there.
    private static func behindOptions(_ arguments: ArraySlice<String>, of group: any ParsableCommand.Type) -> ArraySlice<String> {
        // Which options there are costs a millisecond.
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

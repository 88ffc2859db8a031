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

    private static func spelled(_ arguments: [String]) -> String {
        arguments.map { word in
            let isPlain = !word.isEmpty && word.utf8.allSatisfy { plain.contains($0) }
            return Visible.text(isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'")
        }.joined(separator: " ")
    }

    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+=,-".utf8)

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

/// Refuses empty arguments before parsing; usually a script's variable was not set, and an empty name would mean the current
/// directory or everything.
enum EmptyArguments {
    static let verbsOfText: Set<String> = ["add", "draft"]

    static let optionsOfText: Set<String> = ["--note"]

    /// Refuses the first empty argument that must not be empty, and an option with nothing after its `=`, for which the parser
    /// would take the next word.
    ///
    /// Arguments of the program after `follow --exec` are not checked. Unknown options are left to the parser.
    ///
    /// - Parameter count: the number of arguments before these, for the error message.
    static func check(_ arguments: [String], after count: Int = 0) throws(Failure) {
        guard let verb = arguments.first(where: { !$0.hasPrefix("-") }) else { return }
        var (before, areWords) = (verb, false)
        for (place, argument) in arguments.enumerated() {
            if verb == "follow", !areWords {
                if before == "--exec", !argument.isEmpty { return }
                if argument.hasPrefix("--exec="), argument != "--exec=" { return }
            }
            defer { before = argument }
            if !areWords, argument.hasPrefix("--"), argument.firstIndex(of: "=") == argument.indices.last,
                HelpText.options(named: verb).contains(where: { $0.name == argument.dropFirst(2).dropLast() })
            {
                let option = String(argument.dropLast())
                let remedy = optionsOfText.contains(option) ? "\nIf an empty one is meant: \(option) \"\"" : ""
                throw failure("The value of \(Visible.text(option))", remedy)
            }
            let isValue = argument.isEmpty && !areWords && HelpText.takesValue(before, of: verb)
            areWords = areWords || argument == "--"
            if argument.isEmpty, !(isValue ? optionsOfText.contains(before) : verbsOfText.contains(verb)) {
                let isNamed = isValue || before.hasPrefix("--")
                throw failure("Argument \(count + place + 1)" + (isNamed ? ", after \(Visible.text(before))," : ""))
            }
        }
    }

    private static func failure(_ what: String, _ remedy: String = "") -> Failure {
        Failure(
            .usage,
            "\(what) is empty.\nCheck for an unset variable in your script." + remedy
        )
    }
}

import ArgumentParser

/// Distinguishes an excluded tag (`-home`) from an option.
enum FilterOption {
    private static let reading = ["list", "agenda", "show", "watch", "export"]
    private static let changing: [any ParsableCommand.Type] = [Done.self, Reopen.self, Remove.self, Move.self, Edit.self]
    private static let verbs = reading + changing.map { $0._commandName }

    /// Whether a verb takes a filter.
    static func isTaken(by verb: any ParsableCommand.Type) -> Bool { verbs.contains(verb._commandName) }

    /// Rewrites the arguments of a verb that takes a filter: `-home` becomes `not +home`, and the words after `--` of `edit` its title.
    ///
    /// The value of an option, letters that are all options, and the words after `--` are not rewritten.
    ///
    /// - Throws: for an excluded tag of a verb that changes todos: a mistyped `-ny` read as a tag would not be a dry run.
    static func spelled(_ arguments: [String]) throws(Failure) -> [String] {
        guard let verb = arguments.first, verbs.contains(verb) || arguments.starts(with: ["view", "save"]) else {
            return arguments
        }
        var spelled = [verb]
        var rest = arguments.dropFirst()
        while let word = rest.popFirst() {
            guard word != "--" else {
                let isTitle = verb == "edit" && !rest.isEmpty
                return spelled + (isTitle ? ["--title=" + rest.joined(separator: " ")] : [word] + rest)
            }
            let letters = word.dropFirst()
            let isTag =
                word.hasPrefix("-") && letters.count > 1 && letters.first.map { $0.isLetter || $0 == "\"" } == true
                && letters.dropFirst().first != "=" && !HelpText.areFlags(letters, of: verb)
                && spelled.last.map { HelpText.takesValue($0, of: verb) } != true
            if isTag, let type = changing.first(where: { $0._commandName == verb }) {
                throw Failure(.usage, HelpText.noOption(String(letters), of: type))
            }
            spelled += isTag ? ["not", "+" + letters] : [word]
        }
        return spelled
    }
}

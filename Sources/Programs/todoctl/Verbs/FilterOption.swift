import ArgumentParser

/// What the parser would take for something else on a command line with a filter: a tag that todos must not have looks like an option.
enum FilterOption {
    private static let verbs = ["list", "agenda", "show", "done", "reopen", "remove", "move", "edit", "watch", "export"]

    /// Whether a verb takes a filter.
    static func isTaken(by verb: any ParsableCommand.Type) -> Bool { verbs.contains(verb._commandName) }

    /// The arguments of a verb that takes a filter, in which `-home` is `not +home` and the words behind `--` of `edit` are its title; those of
    /// any other verb as they are.
    ///
    /// `-h` and each other letter alone stays what it is, and so does what follows an option that has a value, and what follows `--`.
    static func spelled(_ arguments: [String]) -> [String] {
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
            let isTag = word.hasPrefix("-") && word.count > 2 && word.dropFirst().first.map { $0.isLetter || $0 == "\"" } == true
            let isValue = isTag && spelled.last.map { HelpText.takesValue($0, of: verb) } == true
            spelled += isTag && !isValue ? ["not", "+" + word.dropFirst()] : [word]
        }
        return spelled
    }
}

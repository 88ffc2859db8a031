/// What the parser would take for something else on a command line with a filter: a tag that todos must not have looks like an option.
enum FilterOption {
    private static let verbs = ["list", "agenda", "show", "done", "reopen", "remove", "move", "edit", "watch", "export"]
    // Behind any other option stands its value.
    private static let flags = [
        "--all", "--done", "--overdue", "--json", "--yes", "--dry-run", "--no-due", "--no-wait-until", "--no-after", "--no-note",
        "--top", "--bottom", "--force",
    ]

    /// The arguments of a verb that takes a filter, in which `-home` is `not +home` and the words behind `--` of `edit` are its title; those of
    /// any other verb as they are.
    ///
    /// `-h` stays what it is, and so does what follows an option that has a value, and what follows `--`.
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
            let isValue = spelled.last.map { $0.hasPrefix("--") && !$0.contains("=") && !flags.contains($0) } == true
            let isTag = word.hasPrefix("-") && word.count > 2 && word.dropFirst().first?.isLetter == true
            spelled += isTag && !isValue ? ["not", "+" + word.dropFirst()] : [word]
        }
        return spelled
    }
}

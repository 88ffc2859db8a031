import ArgumentParser
import Values

/// Finds a verb that there is not before the parser takes it for something else: it would be an argument of the verb that its group does
/// without being told, and `fork lst` make a fork of that name.
enum VerbNames {
    /// Refuses the first word of a command line that stands where a verb is expected and is none.
    ///
    /// Where the group does a verb without being told that takes a word, only what looks like another verb is refused.
    static func check(_ arguments: [String]) throws(Failure) {
        var (group, path, rest) = (Todoctl.self as any ParsableCommand.Type, "todoctl", arguments[...])
        while !group.configuration.subcommands.isEmpty {
            let verbs = group.configuration.subcommands
            // Of all options this one alone has no value whatever the verb.
            let words = rest.drop { $0 == "--json" }
            // The parser itself understands help everywhere.
            guard let word = words.first, !word.hasPrefix("-"), word != "help" else { return }
            guard let verb = verbs.first(where: { $0._commandName == word }) else {
                let question = Spelling.question(about: word, among: verbs.map { $0._commandName })
                let usual = group.configuration.defaultSubcommand.flatMap { HelpText.takesArguments($0) ? $0._commandName : nil }
                guard usual == nil || question != nil else { return }
                let place = group == Todoctl.self ? "" : " of \(group._commandName)"
                let name = Visible.text(word)
                let remedy = usual.map { "If it is a name: \(path) \($0) \(name)" } ?? "To see all: \(path) --help"
                throw Failure(.usage, "There is no verb \(name)\(place)" + (question.map { "; \($0)" } ?? ".") + "\n" + remedy)
            }
            (group, path, rest) = (verb, "\(path) \(word)", words.dropFirst())
        }
    }
}

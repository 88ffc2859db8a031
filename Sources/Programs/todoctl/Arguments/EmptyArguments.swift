import ArgumentParser

/// Refuses empty arguments before parsing; usually a script's variable was not set, and an empty name would mean the current
/// directory or everything.
enum EmptyArguments {
    /// Verbs whose words are free text, which may be empty.
    static let verbsOfText: Set<String> = ["add", "draft"]

    /// Options whose value is free text.
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

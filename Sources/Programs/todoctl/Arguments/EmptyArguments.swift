import ArgumentParser

/// Refuses arguments without a character before the parser sees them: mostly they are a variable of a script that was not set, and would
/// mean a file of no name, the directory one stands in, or everything.
enum EmptyArguments {
    /// Verbs whose words are a text of a person's, where nothing is a text too.
    static let verbsOfText: Set<String> = ["add", "draft"]

    /// Options whose value is such a text.
    static let optionsOfText: Set<String> = ["--note"]

    /// Refuses the first argument that is empty and can't be so, and an option that is empty behind its `=`: the parser would take the next
    /// word for its value.
    ///
    /// What stands behind `--exec` of `follow` and the program's name is that program's. An option that there is not is left to the parser.
    ///
    /// - Parameter count: how many were typed before those; a person counts them, too.
    static func check(_ arguments: [String], behind count: Int = 0) throws(Failure) {
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
                let isTold = isValue || before.hasPrefix("--")
                throw failure("Argument \(count + place + 1)" + (isTold ? ", behind \(Visible.text(before))," : ""))
            }
        }
    }

    private static func failure(_ what: String, _ remedy: String = "") -> Failure {
        Failure(
            .usage,
            "\(what) is empty.\nA variable of a script that is not set makes such an argument: look where it comes from." + remedy
        )
    }
}

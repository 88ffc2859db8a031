/// Refuses arguments without a character before the parser sees them: mostly they are a variable of a script that was not set, and would
/// mean a file of no name, the directory one stands in, or everything.
enum EmptyArguments {
    /// Verbs whose words are a text of a person's, where nothing is a text too.
    static let verbsOfText: Set<String> = ["add", "draft"]

    /// Options whose value is such a text.
    static let optionsOfText: Set<String> = ["--note"]

    /// Refuses the first argument that is empty and can't be so, and an option that is empty behind its `=`.
    ///
    /// What stands behind `--exec` and the program's name is that program's.
    static func check(_ arguments: [String]) throws(Failure) {
        guard let verb = arguments.first(where: { !$0.hasPrefix("-") }), !verbsOfText.contains(verb) else { return }
        var before = verb
        for (place, argument) in arguments.enumerated() {
            if before == "--exec", !argument.isEmpty { return }
            defer { before = argument }
            if argument.hasPrefix("--"), argument.hasSuffix("=") {
                let option = String(argument.dropLast())
                if !optionsOfText.contains(option) { throw failure("The value of \(Visible.text(option))") }
            } else if argument.isEmpty, !optionsOfText.contains(before) {
                throw failure("Argument \(place + 1)" + (before.hasPrefix("--") ? ", behind \(Visible.text(before))," : ""))
            }
        }
    }

    private static func failure(_ what: String) -> Failure {
        Failure(
            .usage, "\(what) is empty.\nA variable of a script that is not set makes such an argument: look where it comes from.")
    }
}

import ArgumentParser
import Glibc

struct ReposChoose: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "choose", abstract: "Ask for a language, and wait until somebody has chosen it.",
        discussion: """
            EXAMPLES:
              todoctl repos choose
              todoctl repos choose --language C++
              todoctl repos choose --cancel

            On a terminal it offers the languages; answer with a number or a name. Anybody can answer the question, from anywhere:
            todoctl flow answer. It stays open when the daemon restarts. Prints the language; exits 1 if the question is cancelled.
            """)

    @OptionGroup var options: Options

    @Option(help: ArgumentHelp("Answer at once with this language.", valueName: "name"))
    var language: String?

    @Flag(help: "Cancel the question, if it is open.")
    var cancel = false

    func validate() throws {
        if language != nil, cancel { throw ValidationError("--language and --cancel exclude each other.") }
    }

    func run() throws {
        try options.session(patience: Client.followingPatience) { session in
            if cancel { throw try LanguageChoice.cancel(session) }
            if let language { try LanguageChoice.check(language, session) }
            let choice = try LanguageChoice(session)
            if let language {
                try choice.answer(language)
            } else if isatty(0) == 1, session.isTerminal, !session.isJSON {
                choice.offer()
            } else {
                choice.announce()
            }
            try choice.finish()
        }
    }
}

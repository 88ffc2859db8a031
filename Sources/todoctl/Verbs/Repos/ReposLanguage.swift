import ArgumentParser
import Reducing
import TodoAPI

struct ReposLanguage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "language", abstract: "Set the language.",
        discussion: """
            EXAMPLES:
              todoctl repos language C++

            Where repositories were loaded once, those of the new language are loaded.
            """)

    @OptionGroup var options: Options

    @Argument(help: "Its name, as repos choose offers it.")
    var name: String

    func run() throws {
        try options.session { session in
            try session.change([FeatureAction.make("repositories", "setLanguage", ["language": .text(name)])]) { _ in
                ["The language is \(Visible.text(name)). To see its repositories: todoctl repos"]
            }
        }
    }
}

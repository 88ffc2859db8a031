import ArgumentParser
import Reducing
import TodoAPI

struct ReposReload: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Load the repositories of the current language.",
        discussion: """
            EXAMPLES:
              todoctl repos reload
              todoctl repos list

            Does not wait. If they can't be loaded, an alert says why.
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            try session.change([FeatureAction.make("repositories", "reload")]) { _ in
                ["Loading. To see them: todoctl repos list"]
            }
        }
    }
}

import ArgumentParser
import Reducing
import TodoAPI

struct PostsFetch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Fetch the newest posts.",
        discussion: """
            EXAMPLES:
              todoctl posts fetch
              todoctl posts list

            Does not wait. If they can't be fetched, an alert says why.
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            try session.change([FeatureAction.make("posts", "fetch")]) { _ in ["Fetching. To read them: todoctl posts list"] }
        }
    }
}

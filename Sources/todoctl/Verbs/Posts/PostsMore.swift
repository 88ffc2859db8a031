import ArgumentParser
import Reducing
import TodoAPI

struct PostsMore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "more", abstract: "Fetch the next page of posts.",
        discussion: """
            EXAMPLES:
              todoctl posts more

            Refused if there is no next page. Does not wait.
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            try session.change([FeatureAction.make("posts", "more")]) { _ in ["Fetching more. To read them: todoctl posts list"] }
        }
    }
}

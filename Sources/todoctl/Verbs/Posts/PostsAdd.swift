import ArgumentParser
import Reducing
import TodoAPI

struct PostsAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Make a todo of a post.",
        discussion: """
            EXAMPLES:
              todoctl posts add 3
            """)

    @OptionGroup var options: Options

    @Argument(help: "The post's id.")
    var id: Int64

    func run() throws {
        try options.session { session in
            try session.change([FeatureAction.make("posts", "add", ["id": .int(id)])]) { answer in
                answer.ids.map { "Added todo \($0)." }
            }
        }
    }
}

import ArgumentParser
import TodoAPI

struct Submit: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add the draft as a todo, and empty it.",
        discussion: """
            EXAMPLES:
              todoctl submit
              todoctl draft Buy the milk; todoctl submit
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            try session.change([TodoAction.submit()]) { answer in answer.ids.map { "Added \($0)." } }
        }
    }
}

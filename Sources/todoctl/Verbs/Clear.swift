import ArgumentParser
import TodoAPI

struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove all todos that are done.",
        discussion: """
            EXAMPLES:
              todoctl clear
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            try session.change([TodoAction.clearCompleted()]) { answer in
                [answer.sequences.isEmpty ? "No todo was done." : "Removed all that were done."]
            }
        }
    }
}

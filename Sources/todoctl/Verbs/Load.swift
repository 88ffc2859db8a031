import ArgumentParser
import Reducing
import TodoAPI

struct Load: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load todos from the source that the daemon is configured with.",
        discussion: """
            EXAMPLES:
              todoctl load
              todoctl watch todos

            Does not wait: the todos come to the top of the list when they are there. If they can't be loaded, an alert says why.
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            try session.change([FeatureAction.make("todos", "load")]) { _ in ["Loading. To see them come: todoctl watch todos"] }
        }
    }
}

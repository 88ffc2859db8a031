import ArgumentParser
import Reducing
import TodoAPI

struct FlowCancel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Take back a question that is open.",
        discussion: """
            EXAMPLES:
              todoctl flow cancel 1
            """)

    @OptionGroup var options: Options

    @Argument(help: "The question's id.")
    var id: Int64

    func run() throws {
        try options.session { session in
            try session.change([FeatureAction.make("flows", "cancel", ["id": .int(id)])]) { _ in ["Cancelled."] }
        }
    }
}

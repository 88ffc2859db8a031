import ArgumentParser
import TodoAPI

struct CommandsRetry: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Have a command tried again at once.",
        discussion: """
            EXAMPLES:
              todoctl commands retry 12.0
            """)

    @OptionGroup var options: Options

    @OptionGroup var name: CommandName

    func run() throws { try name.order(RetryCommandMethod.self, options, "It is tried again.") }
}

import ArgumentParser
import TodoAPI

struct CommandsCancel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Take a command back, also while it runs.",
        discussion: """
            EXAMPLES:
              todoctl commands cancel 12.0
            """)

    @OptionGroup var options: Options

    @OptionGroup var name: CommandName

    func run() throws { try name.order(CancelCommandMethod.self, options, "Cancelled.") }
}

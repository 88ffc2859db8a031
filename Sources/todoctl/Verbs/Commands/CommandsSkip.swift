import ArgumentParser
import TodoAPI

struct CommandsSkip: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "skip", abstract: "Leave a command undone.",
        discussion: """
            EXAMPLES:
              todoctl commands skip 12.0
            """)

    @OptionGroup var options: Options

    @OptionGroup var name: CommandName

    func run() throws { try name.order(SkipCommandMethod.self, options, "Skipped.") }
}

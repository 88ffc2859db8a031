import ArgumentParser
import TodoAPI

struct CommandsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commands", abstract: "See what the daemon has still to do, and decide about it.",
        discussion: """
            EXAMPLES:
              todoctl commands
              todoctl commands retry 12.0
              todoctl commands skip 12.0
              todoctl commands hold
            """,
        subcommands: [
            CommandsList.self, CommandsRetry.self, CommandsSkip.self, CommandsCancel.self, CommandsHold.self,
            CommandsRelease.self,
        ], defaultSubcommand: CommandsList.self)
}

/// A command, as the list of them names it.
struct CommandName: ParsableArguments {
    @Argument(help: "The command's id, as the list shows it: 12.0.", transform: CommandName.read)
    var id: CommandID

    private static func read(_ text: String) throws -> CommandID {
        guard let id = CommandID(text: text) else {
            throw ValidationError("An id looks like 12.0, not like \(Visible.text(text)).")
        }
        return id
    }

    /// Gives an order about the command, and says what was done.
    func order<M: Method>(
        _ method: M.Type, _ options: Options, _ said: String
    ) throws where M.Input == RetryCommandMethod.Input, M.Output == HoldMethod.Output {
        try options.session { session in
            let reply = try session.client.call(Frame.call(method, RetryCommandMethod.Input(id: id)))
            if session.isJSON { session.output.json(reply) } else { session.output.line(said) }
        }
    }
}

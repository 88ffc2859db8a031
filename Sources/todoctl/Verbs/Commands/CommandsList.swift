import ArgumentParser
import TodoAPI
import Varlink

struct CommandsList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the commands that have not ended.",
        discussion: """
            EXAMPLES:
              todoctl commands list
              todoctl commands --json

            waiting: for its time, or for others before it; started: an attempt is under way; parked: it waits for you to retry or
            skip it; held: until todoctl commands release.
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            var isEmpty = true
            try session.client.stream(Frame.call(CommandsMethod.self, NoFields(), more: true)) { members throws(Failure) in
                if session.isJSON {
                    session.output.json(members)
                    return .more
                }
                let reply: CommandsMethod.Output = try session.client.read(members)
                for command in reply.commands {
                    isEmpty = false
                    session.output.line(CommandsList.line(command, session))
                }
                return .more
            }
            if isEmpty, session.isTerminal, !session.isJSON { session.output.line("Nothing is to be done.") }
        }
    }

    private static func line(_ command: OpenCommandMessage, _ session: Session) -> String {
        var line = "\(command.id.text)  \(Visible.text(command.name))"
        let arguments = command.arguments.map { Outline.compact($0.json) } ?? "(unreadable)"
        if !arguments.isEmpty { line += " " + arguments }
        line += "  " + session.paint(Visible.text(command.stage), command.stage == "parked" ? .yellow : nil)
        if command.held { line += ", held" }
        if command.attempts > 0 { line += ", \(command.attempts) \(command.attempts == 1 ? "attempt" : "attempts")" }
        if let due = command.due { line += ", due \(session.moment(due).text)" }
        line += ", uid \(command.origin)"
        if let reason = command.reason { line += ": " + Visible.text(reason) }
        return line
    }
}

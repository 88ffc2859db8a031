import ArgumentParser
import TodoAPI

struct CommandsHold: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Start no command until they are released.",
        discussion: """
            EXAMPLES:
              todoctl commands hold
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            let reply = try session.client.call(Frame.call(HoldMethod.self, NoFields()))
            if session.isJSON { session.output.json(reply) } else { session.output.line("All commands are held.") }
        }
    }
}

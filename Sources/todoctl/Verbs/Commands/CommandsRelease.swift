import ArgumentParser
import TodoAPI

struct CommandsRelease: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Let the commands that are held go on.",
        discussion: """
            EXAMPLES:
              todoctl commands release
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            let reply = try session.client.call(Frame.call(ReleaseMethod.self, NoFields()))
            if session.isJSON { session.output.json(reply) } else { session.output.line("Released.") }
        }
    }
}

import ArgumentParser
import TodoAPI

struct WebVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "web", abstract: "Serve the web interface on this machine.",
        discussion: """
            EXAMPLES:
              todoctl web --open
              todoctl web --port 8080
              todoctl web --read-only
              todoctl --fork try web

            Prints the address of a page and serves it on this machine until Ctrl-C. Anyone with the address has your rights at
            the daemon, or with --read-only the right to read, so keep it secret.
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port (default: 0, a free one).", valueName: "number"),
        transform: Numeral.whole(in: 0...65_535))
    var port: Int = 0

    @Flag(name: .customLong("open"), help: "Open the page in a browser.")
    var opens = false

    @Flag(name: .customLong("read-only"), help: "Do not allow changes.")
    var isReadOnly = false

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        // An unreachable daemon is reported here; the page waits for a daemon that stops later.
        _ = try session.client.call(PingMethod.self, NoFields())
        session.output.flush()
        throw SiblingProgram.becoming(command(socket: session.client.socket))
    }

    func command(socket: String) -> [String] {
        var command = [SiblingProgram.path("todoweb"), "--socket", socket, "--port", String(port)]
        if opens { command.append("--open") }
        if isReadOnly { command.append("--read-only") }
        if options.json { command.append("--json") }
        return command
    }
}

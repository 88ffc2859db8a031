import ArgumentParser
import TodoAPI

struct WebVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "web", abstract: "Show all that ever happened in a browser on this machine.",
        discussion: """
            EXAMPLES:
              todoctl web --open
              todoctl web --port 8080
              todoctl web --read-only
              todoctl --fork try web

            Prints the address of a page, and serves it to this machine alone until Ctrl-C. Whoever has the address has your rights at the
            daemon, with --read-only the right to read: don't hand it on.
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port; 0 is a free one.", valueName: "number"),
        transform: Numeral.whole(in: 0...65_535))
    var port: Int = 0

    @Flag(name: .customLong("open"), help: "Open the page in a browser.")
    var opens = false

    @Flag(name: .customLong("read-only"), help: "Let the page change nothing.")
    var isReadOnly = false

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        // Here, where it can be said what to do; the page goes on when a daemon goes away later.
        _ = try session.client.call(PingMethod.self, NoFields())
        session.output.flush()
        throw SiblingProgram.becoming(command(socket: session.client.socket))
    }

    /// The command line of the server.
    func command(socket: String) -> [String] {
        var command = [SiblingProgram.path("todoweb"), "--socket", socket, "--port", String(port)]
        if opens { command.append("--open") }
        if isReadOnly { command.append("--read-only") }
        if options.json { command.append("--json") }
        return command
    }
}

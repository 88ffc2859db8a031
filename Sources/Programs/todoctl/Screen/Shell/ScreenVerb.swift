import ArgumentParser
import Dates
import Glibc
import Terminal

struct ScreenVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen",
        abstract: "Show the todos, and all else, on a screen that stays; also todoctl without a verb, on a terminal.",
        discussion: """
            EXAMPLES:
              todoctl
              todoctl screen
              todoctl --socket /run/todod/org.todod screen

            ? shows every key, q ends it. Below the list is the log as a strip of time: left and right go back in it, and the past is
            shown in its frame; looking at it changes nothing. NO_COLOR takes the colours away. When the daemon goes away that is said,
            what was typed stays, and it goes on when the daemon is back.
            """)

    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"), completion: .file())
    var socket: String?

    func run() throws { try Self.run(socket: socket) }

    /// Shows the screen until the person ends it.
    ///
    /// - Throws: where there is no terminal, or one that can do nothing but print.
    static func run(socket: String?) throws(Failure) {
        guard isatty(0) == 1, isatty(1) == 1, let terminal = TerminalScreen() else {
            throw Failure(.usage, "The screen needs a terminal. To list the todos: todoctl list")
        }
        let search = try SocketSearch(option: socket)
        let surroundings = ScreenModel.Surroundings(
            zone: .user, weekBegin: Settings.user.weekBegin, random: .random(in: 0 ... .max), weights: Settings.user.file.weights)
        let sort = Settings.user.order(option: nil)
        let model = ScreenModel(
            surroundings, size: terminal.size, now: Clock.now(), sort: sort == .list ? .due : sort)
        terminal.begin()
        defer { terminal.end() }
        ScreenShell(terminal, model, ScreenConnections(search.place)).run()
    }
}

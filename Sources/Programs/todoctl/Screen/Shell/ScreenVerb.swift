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
              todoctl screen
              todoctl
              todoctl --socket /run/todod/org.todod screen

            ? shows every key, q ends it. Below the list is the log as a strip of time: left and right go back in it, and the past is
            shown in its frame; looking at it changes nothing. NO_COLOR takes the colours away. When the daemon goes away that is said,
            what was typed stays, and it goes on when the daemon is back.
            """)

    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"), completion: .file())
    var socket: String?

    func run() throws { try Self.run(socket: socket) }

    /// Shows the screen until the user ends it.
    ///
    /// - Throws: if there is no terminal that can position the cursor.
    static func run(socket: String?) throws(Failure) {
        let search = try SocketSearch(option: socket)
        let context = ScreenModel.Context(
            zone: .user, weekBegin: Settings.user.weekBegin, random: .random(in: 0 ... .max), weights: Settings.user.file.weights,
            uid: getuid())
        let sort = Settings.user.order(option: nil)
        let terminal: TerminalScreen
        do throws(TerminalError) {
            terminal = try .ofUser(for: .keysAndMouse)
        } catch {
            throw Failure(.usage, "\(error.message)\nTo list the todos: todoctl list")
        }
        let model = ScreenModel(context, size: terminal.size, now: Clock.now(), sort: sort == .list ? .due : sort)
        ScreenShell(terminal, model, ScreenConnections(search.place)).run()
    }
}

extension TerminalError {
    fileprivate var message: String {
        switch self {
        case .noTerminal: "The screen needs a terminal."
        case .unknown(let name): "Nothing is known about the terminal “\(Visible.text(name))”: set TERM."
        case .unable(let name): "On the terminal “\(Visible.text(name))” there is no screen to draw on."
        case .system(let number): "The terminal can't be used: \(String(cString: strerror(number)))."
        }
    }
}

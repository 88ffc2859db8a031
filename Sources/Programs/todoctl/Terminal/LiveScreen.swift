import Glibc
import Terminal

/// The whole of the user's terminal in the hands of a verb that shows lines on it, which change, and obeys keys.
///
/// The shell's screen comes back when it is let go, or when a signal ends the program. Ctrl-C ends the program and Ctrl-Z stops it, also
/// while the daemon is away or does not answer.
final class LiveScreen {
    /// Keys with which a person has seen enough; Ctrl-D is what a terminal sends at its end.
    static let ends: Set<ScreenKey> = [.escape, .character("q"), .character("Q"), .control("d")]

    /// Whether a person has seen enough.
    private(set) var isEnded = false
    /// Whether the lines have to be shown again: the terminal has another size, or somebody else had it.
    private(set) var isStale = false
    /// Is called when they have to.
    var redraw: () -> Void = {}

    private var terminal: TerminalScreen
    private let ends: Set<ScreenKey>
    // What was pressed and nobody has looked at; of more, the newest.
    private var pressed: [ScreenKey] = []
    private static let pressedMax = 64

    private init(_ terminal: consuming TerminalScreen, _ ends: Set<ScreenKey>) {
        self.terminal = terminal
        self.ends = ends
    }

    /// Takes the terminal; `nil` if standard input or output is none, or one that can do nothing but print.
    ///
    /// - Parameter ends: the keys with which a wait ends.
    static func taken(endingWith ends: Set<ScreenKey> = LiveScreen.ends) -> LiveScreen? {
        do throws(TerminalError) { return LiveScreen(try .ofUser(for: .keys), ends) } catch { return nil }
    }

    var size: Size { terminal.size }

    /// Shows lines and nothing else; of more than there is room for the first, and how many are left out.
    func show(_ lines: [[PaintedText]]) {
        var canvas = Canvas(size)
        for (row, line) in Self.fitting(lines, canvas.size.rows).enumerated() {
            var column = 0
            for piece in line { column = canvas.put(piece.text, at: column, row: row, Style(piece.colour)) }
        }
        isStale = false
        terminal.show(canvas)
    }

    static func fitting(_ lines: [[PaintedText]], _ room: Int) -> [[PaintedText]] {
        guard lines.count > room, room > 1 else { return Array(lines.prefix(max(room, 0))) }
        return lines.prefix(room - 1) + [[PaintedText("… and \(Digits.grouped(lines.count - room + 1)) more")]]
    }

    /// Waits until a descriptor can be read or something was pressed, for at most some microseconds.
    ///
    /// - Returns: whether it can be read.
    /// - Throws: when a person has seen enough, or the terminal is gone.
    func wait(on descriptor: Int32 = -1, within pause: Int64? = nil) throws(Failure) -> Bool {
        // What is negative is not waited for.
        var polled = [descriptor, terminal.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = pause.map { Int32(clamping: (max($0, 0) + 999) / 1_000) } ?? -1
        let count = isEnded ? 0 : poll(&polled, nfds_t(polled.count), milliseconds)
        if count > 0, polled[1].revents != 0 { try takeKeys() }
        guard !isEnded else { throw Failure(.refused, "Ended by a key.") }
        return count > 0 && polled[0].revents != 0
    }

    /// What was pressed since this was asked last.
    func keys() -> [ScreenKey] {
        defer { pressed = [] }
        return pressed
    }

    /// Obeys keys while a client waits for an answer, or lets time pass before it calls the daemon again.
    func watch(_ client: Client) {
        client.awaitAnswer = { [weak self] descriptor throws(Failure) in
            while let self, try !wait(on: descriptor) {}
        }
        client.pausing = { [weak self] microseconds throws(Failure) in
            guard let self else { return Clock.pause(microseconds: microseconds) }
            let end = Clock.uptime() + microseconds
            repeat { _ = try wait(within: end - Clock.uptime()) } while Clock.uptime() < end
        }
    }

    private func takeKeys() throws(Failure) {
        guard let keys = terminal.keys() else { throw Failure(.inputOutput, "The terminal is gone.") }
        for key in keys {
            switch key {
            // Whoever waits for the program learns how it ended.
            case .control("c"): raise(SIGINT)
            case .control("z"):
                _ = terminal.stop()
                isStale = true
            case .resize: isStale = true
            case _ where ends.contains(key): isEnded = true
            default: pressed.append(key)
            }
        }
        pressed = pressed.suffix(Self.pressedMax)
        if isStale { redraw() }
    }
}

extension TerminalScreen {
    /// Takes the terminal of standard input and output, as the user's environment says it is.
    static func ofUser(for input: TerminalInput) throws(TerminalError) -> TerminalScreen {
        try taken(for: input, environment: Environment.variable) { TextEncoding.user.bytes(cell: $0) }
    }
}

extension Style {
    /// How text in a colour looks.
    fileprivate init(_ colour: Paint.Colour?) {
        self =
            switch colour {
            case nil, .plain?: .plain
            case .red?: Style(.red)
            case .green?: Style(.green)
            case .yellow?: Style(.yellow)
            case .blue?: Style(.blue)
            case .magenta?: Style(.magenta)
            case .cyan?: Style(.cyan)
            case .dim?: Style(.faint)
            case .bold?: Style(.plain, on: .plain, .bold)
            case .struck?: Style(.plain, on: .plain, .strike)
            }
    }
}

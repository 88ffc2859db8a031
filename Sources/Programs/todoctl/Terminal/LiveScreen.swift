import Glibc
import Terminal

/// A full-screen terminal for verbs that show changing lines and react to keys.
///
/// The shell's screen is restored at the end, also after a signal. Ctrl-C ends and Ctrl-Z stops the program, also while the
/// daemon is unreachable or does not reply.
final class LiveScreen {
    static let ends: Set<ScreenKey> = [.escape, .character("q"), .character("Q"), .control("d")]

    private(set) var isEnded = false
    /// Whether the lines must be drawn again because the terminal was resized or used by another program.
    private(set) var isStale = false
    var redraw: () -> Void = {}

    private var terminal: TerminalScreen
    private let ends: Set<ScreenKey>
    private var pressed: [ScreenKey] = []
    private static let pressedMax = 64

    private init(_ terminal: consuming TerminalScreen, _ ends: Set<ScreenKey>) {
        self.terminal = terminal
        self.ends = ends
    }

    /// Takes over the terminal; `nil` if standard input or output is not a terminal that can position the cursor.
    ///
    /// - Parameter ends: the keys that end a wait.
    static func open(endingWith ends: Set<ScreenKey> = LiveScreen.ends) -> LiveScreen? {
        do throws(TerminalError) { return LiveScreen(try .ofUser(for: .keys), ends) } catch { return nil }
    }

    var size: Size { terminal.size }

    /// Replaces the screen with lines; if not all fit, the last row counts the rest.
    func show(_ lines: [[PaintedText]]) {
        var canvas = Canvas(size)
        for (row, line) in Self.fitting(lines, canvas.size.rows).enumerated() {
            var column = 0
            for piece in line { column = canvas.put(piece.text, at: column, row: row, Style(piece.colour)) }
        }
        isStale = false
        terminal.show(canvas)
    }

    static func fitting(_ lines: [[PaintedText]], _ space: Int) -> [[PaintedText]] {
        guard lines.count > space, space > 1 else { return Array(lines.prefix(max(space, 0))) }
        return lines.prefix(space - 1) + [[PaintedText("… and \(Digits.grouped(lines.count - space + 1)) more")]]
    }

    /// Waits until a descriptor is readable or a key is pressed, for at most `pause` microseconds.
    ///
    /// - Returns: whether the descriptor is readable.
    /// - Throws: if the user ends the verb, or the terminal is gone.
    func wait(on descriptor: Int32 = -1, within pause: Int64? = nil) throws(Failure) -> Bool {
        // `poll` ignores negative descriptors.
        var polled = [descriptor, terminal.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = pause.map { Int32(clamping: (max($0, 0) + 999) / 1_000) } ?? -1
        let count = isEnded ? 0 : poll(&polled, nfds_t(polled.count), milliseconds)
        if count > 0, polled[1].revents != 0 { try takeKeys() }
        guard !isEnded else { throw Failure(.refused, "Ended by a key.") }
        return count > 0 && polled[0].revents != 0
    }

    func keys() -> [ScreenKey] {
        defer { pressed = [] }
        return pressed
    }

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
            // A signal gives the parent process the right exit status.
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
    static func ofUser(for input: TerminalInput) throws(TerminalError) -> TerminalScreen {
        try open(for: input, environment: Environment.variable) { TextEncoding.user.bytes(cell: $0) }
    }
}

extension Style {
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

extension Width {
    /// $COLUMNS, or the width that the terminal reports.
    static var ofTerminal: Int {
        if let columns = Environment.variable("COLUMNS").flatMap(Int.init), (1...10_000).contains(columns) { return columns }
        return Size.ofTerminal.columns
    }
}

import CTerminal
import Glibc

/// The user's terminal in the hands of a program that fills its screen.
///
/// It is given back at the end, also when a signal or a crash ends the program, and while it is stopped (Ctrl-Z comes as a key; see
/// `stop()`). What is written to standard error meanwhile is shown when it is given back. There is one at a time.
public struct TerminalScreen: ~Copyable, Sendable {
    private let terminal: TerminalDescription
    private let depth: ColourDepth
    private let encoded: @Sendable (String) -> [UInt8]
    private var encoder: DrawEncoder
    private var decoder: KeyDecoder
    private var shown: Canvas?

    // So long a terminal may take to send the rest of a key; a person who presses Escape does not notice it.
    private static let restMilliseconds: Int32 = 25
    private static let pieceBytes = 4096

    /// Takes the terminal of standard input and output.
    ///
    /// - Parameters:
    ///   - input: what the program is told of.
    ///   - environment: says which terminal it is (`TERM`) and which colours it shows (`COLORTERM`, `NO_COLOR`).
    ///   - encoded: the bytes of a character in the terminal's encoding.
    public static func taken(
        for input: TerminalInput, environment: (String) -> String?,
        encoded: @escaping @Sendable (String) -> [UInt8] = { Array($0.utf8) }
    ) throws(TerminalError) -> TerminalScreen {
        guard isatty(0) == 1, isatty(1) == 1 else { throw .noTerminal }
        let terminal = try TerminalDescription(of: environment("TERM") ?? "")
        let (taking, giving) = (terminal.taking(for: input), terminal.giving)
        let error = terminal_take(taking, taking.utf8.count, giving, giving.utf8.count)
        guard error == 0 else { throw error == ENOTTY ? .noTerminal : .system(error) }
        return TerminalScreen(terminal, ColourDepth(of: terminal, environment: environment), encoded)
    }

    private init(_ terminal: TerminalDescription, _ depth: ColourDepth, _ encoded: @escaping @Sendable (String) -> [UInt8]) {
        self.terminal = terminal
        self.depth = depth
        self.encoded = encoded
        encoder = DrawEncoder(for: terminal, depth, encoded: encoded)
        decoder = KeyDecoder(keys: terminal.keys)
    }

    deinit { terminal_release() }

    /// Can be read when there are keys, or the size has changed; see `keys()`.
    public var descriptor: Int32 { terminal_descriptor() }

    public var size: Size { .ofTerminal }

    /// Shows a canvas, and sends no more than what differs from the one before.
    ///
    /// - Returns: how many bytes were sent.
    @discardableResult
    public mutating func show(_ canvas: Canvas) -> Int {
        let bytes = encoder.bytes(of: canvas.operations(from: shown))
        shown = canvas
        Self.write(bytes)
        return bytes.count
    }

    /// What a person did since the last call, without waiting for more; `nil` when the terminal is gone.
    ///
    /// After a pause, or when the program goes on after it was stopped, there is a `resize` even of the same size, and the next
    /// canvas is drawn as a whole.
    public mutating func keys() -> [ScreenKey]? {
        var keys: [ScreenKey] = []
        var isNew = false
        while true {
            let signal = terminal_next_signal()
            if signal == terminal_signal_none { break }
            isNew = true
            if signal == terminal_signal_stop { _ = terminal_stop() }
            // Somebody else had the terminal, who may have left it in any way.
            if signal == terminal_signal_continue { lend {} }
        }
        if isNew { keys.append(changed()) }
        while Self.hasInput(within: 0) {
            guard let bytes = Self.read() else { return nil }
            keys += decoder.keys(in: bytes)
            if decoder.isWaiting, !Self.hasInput(within: Self.restMilliseconds) { keys += decoder.timeOut() }
        }
        return keys
    }

    /// Stops the program as Ctrl-Z does, and comes back when it goes on.
    ///
    /// - Returns: the size then; the next canvas is drawn as a whole.
    public mutating func stop() -> ScreenKey {
        _ = terminal_stop()
        return changed()
    }

    /// Lends the terminal as it was before, such as to an editor; the next canvas is drawn as a whole.
    public mutating func lend<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        terminal_give_back()
        defer {
            _ = terminal_take_again()
            _ = changed()
        }
        return try body()
    }

    private mutating func changed() -> ScreenKey {
        shown = nil
        encoder = DrawEncoder(for: terminal, depth, encoded: encoded)
        return .resize(size)
    }

    private static func hasInput(within milliseconds: Int32) -> Bool {
        var polled = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, milliseconds) > 0
    }

    // What there is, or `nil` when the terminal is gone.
    private static func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: pieceBytes)
        let count = Glibc.read(0, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    // What can't be written is left out: a terminal that is gone says so when it is read.
    private static func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
            if count < 0, errno == EAGAIN {
                var polled = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
                guard poll(&polled, 1, -1) > 0, Int32(polled.revents) & POLLOUT != 0 else { return }
                continue
            }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}

/// What a program that takes a terminal is told of.
public enum TerminalInput: Sendable {
    /// Keys, so that text can be marked with the mouse as ever.
    case keys
    /// The mouse as well.
    case keysAndMouse
}

extension Size {
    /// That of the terminal of standard output; 80 columns and 24 rows where it does not say.
    public static var ofTerminal: Size {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return Size(columns: 80, rows: 24) }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}

extension TerminalDescription {
    // Beyond terminfo; whoever does not know one of these passes it over. Off: the terminal's own order of writing (VTE's BDSM), and
    // wrapping at the right border. On: what is pasted comes as such, and buttons and wheel of the mouse, also beyond column 223.
    private static let off = ["8", "?7"]
    private static let on = ["?2004"]
    private static let mouse = ["?1000", "?1002", "?1006"]

    // Terminals without a mouse, such as a console, have none of them.
    private func modes(_ names: [String], _ final: String) -> String {
        has("kmous") ? names.map { "\u{1B}[\($0)\(final)" }.joined() : ""
    }

    /// What fills the screen: the other one where there are two, without wrapping at the right border.
    func taking(for input: TerminalInput) -> String {
        let own = modes(Self.off, "l") + modes(Self.on + (input == .keysAndMouse ? Self.mouse : []), "h")
        return sequence("smcup") + sequence("sgr0") + sequence("smkx") + sequence("rmam") + sequence("civis") + own
            + sequence("clear")
    }

    /// What gives it back as it was.
    var giving: String {
        let own = modes((Self.on + Self.mouse).reversed(), "l") + modes(Self.off.reversed(), "h")
        // Where there is no other screen, what was drawn is wiped off.
        let cleared = has("rmcup") ? "" : sequence("clear")
        return sequence("sgr0") + own + sequence("smam") + sequence("cnorm") + sequence("rmkx") + cleared + sequence("rmcup")
    }
}

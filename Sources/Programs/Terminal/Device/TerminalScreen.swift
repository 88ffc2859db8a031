import CTerminal
import Glibc

/// The user's terminal in full-screen mode.
///
/// The terminal is restored at the end, also after a signal or a crash, and while the program is stopped (Ctrl-Z arrives as a
/// key; see `stop()`). Standard error is buffered until then. Only one value exists at a time.
public struct TerminalScreen: ~Copyable, Sendable {
    private let terminal: TerminalDescription
    private let depth: ColourDepth
    private let encoded: @Sendable (String) -> [UInt8]
    private var encoder: DrawEncoder
    private var decoder: KeyDecoder
    private var shown: Canvas?

    // Maximum wait for the rest of a key's sequence; too short to notice after Escape.
    private static let restMilliseconds: Int32 = 25
    private static let pieceBytes = 4096

    /// Takes over the terminal of standard input and output.
    ///
    /// - Parameters:
    ///   - environment: provides `TERM`, `COLORTERM` and `NO_COLOR`.
    ///   - encoded: the bytes of a character in the terminal's encoding.
    public static func open(
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

    /// Readable if keys or a new size are available; see `keys()`.
    public var descriptor: Int32 { terminal_descriptor() }

    public var size: Size { .ofTerminal }

    /// Shows a canvas; sends only the difference from the previous one.
    public mutating func show(_ canvas: Canvas) {
        let bytes = encoder.bytes(of: canvas.operations(from: shown))
        shown = canvas
        Self.write(bytes)
    }

    /// The keys since the last call, without waiting; `nil` if the terminal is gone.
    ///
    /// After the program was stopped and continued, the keys include a `resize`, even of the same size, and the next canvas is
    /// drawn completely.
    public mutating func keys() -> [ScreenKey]? {
        var keys: [ScreenKey] = []
        var isNew = false
        while true {
            let signal = terminal_next_signal()
            if signal == terminal_signal_none { break }
            isNew = true
            if signal == terminal_signal_stop { _ = terminal_stop() }
            // Another program may have changed the terminal's modes.
            if signal == terminal_signal_continue { withTerminalRestored {} }
        }
        if isNew { keys.append(changed()) }
        while Self.hasInput(within: 0) {
            guard let bytes = Self.read() else { return nil }
            keys += decoder.keys(in: bytes)
            if decoder.isWaiting, !Self.hasInput(within: Self.restMilliseconds) { keys += decoder.timeOut() }
        }
        return keys
    }

    /// Stops the program as Ctrl-Z does, and returns when it continues.
    ///
    /// - Returns: the size then; the next canvas is drawn completely.
    public mutating func stop() -> ScreenKey {
        _ = terminal_stop()
        return changed()
    }

    /// Restores the terminal while `body` runs, for example an editor; the next canvas is drawn completely.
    public mutating func withTerminalRestored<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure)
        -> Result
    {
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

    private static func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: pieceBytes)
        let count = Glibc.read(0, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    // Ignores errors: `read` reports a terminal that is gone.
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

public enum TerminalInput: Sendable {
    case keys, keysAndMouse
}

extension Size {
    /// The size of the terminal of standard output; 80 × 24 if unknown.
    public static var ofTerminal: Size {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return Size(columns: 80, rows: 24) }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}

extension TerminalDescription {
    // Modes beyond terminfo; terminals ignore unknown ones. Off: VTE's bidirectional layout (BDSM) and wrapping at the right
    // border. On: bracketed paste, and mouse buttons and wheel, also beyond column 223.
    private static let off = ["8", "?7"]
    private static let on = ["?2004"]
    private static let mouse = ["?1000", "?1002", "?1006"]

    // Terminals without a mouse, such as the Linux console, support none of these modes.
    private func modes(_ names: [String], _ final: String) -> String {
        has("kmous") ? names.map { "\u{1B}[\($0)\(final)" }.joined() : ""
    }

    /// Enters full-screen mode: alternate screen, hidden cursor, no wrapping.
    func taking(for input: TerminalInput) -> String {
        let own = modes(Self.off, "l") + modes(Self.on + (input == .keysAndMouse ? Self.mouse : []), "h")
        return sequence("smcup") + sequence("sgr0") + sequence("smkx") + sequence("rmam") + sequence("civis") + own
            + sequence("clear")
    }

    var giving: String {
        let own = modes((Self.on + Self.mouse).reversed(), "l") + modes(Self.off.reversed(), "h")
        // Without an alternate screen, clears what was drawn.
        let cleared = has("rmcup") ? "" : sequence("clear")
        return sequence("sgr0") + own + sequence("smam") + sequence("cnorm") + sequence("rmkx") + cleared + sequence("rmcup")
    }
}

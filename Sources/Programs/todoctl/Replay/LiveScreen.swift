import Glibc
import Synchronization

/// The other screen of a terminal, on which lines are drawn anew whenever they change, until a key or a signal ends the program.
///
/// Ctrl-C is a signal as ever, also while the daemon is away or does not answer; keys come one by one and are not shown.
enum LiveScreen {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    // What the terminal did to keys before, and does again at the end.
    private static let taken = Atomic<UInt32>(0)

    /// Shows the other screen, which goes with the program.
    static func begin() {
        for number in signals {
            signal(number) { number in
                // What a signal handler may do is little: this is nothing but a write, and the terminal's mode.
                LiveScreen.giveBackKeys()
                let shell: StaticString = "\u{1B}[?25h\u{1B}[?1049l"
                _ = write(1, shell.utf8Start, shell.utf8CodeUnitCount)
                signal(number, SIG_DFL)
                raise(number)
            }
        }
        // It does nothing but to end a wait, so that a new size is seen at once.
        signal(SIGWINCH) { _ in }
        takeKeys()
        Output.put("\u{1B}[?1049h\u{1B}[?25l", on: 1)
    }

    /// Shows the shell's screen again.
    static func end() {
        giveBackKeys()
        Output.put("\u{1B}[?25h\u{1B}[?1049l", on: 1)
        for number in signals + [SIGWINCH] { signal(number, SIG_DFL) }
    }

    /// Waits until a descriptor can be read, for at most some milliseconds.
    ///
    /// - Returns: whether it can, or a key ended the program: q, Esc, or what a terminal sends when it is gone.
    static func wait(for descriptor: Int32, _ milliseconds: Int32) -> Wait {
        // What is negative is not waited for.
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: readsKeys ? 0 : -1, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&polled, 2, milliseconds) > 0 else { return .time }
        if polled[1].revents != 0, isEnded(by: keys()) { return .end }
        return polled[0].revents != 0 ? .input : .time
    }

    /// Why a wait is over.
    enum Wait {
        case input
        case time
        case end
    }

    /// Whether keys say that a person has seen enough.
    static func isEnded(by keys: [TerminalKey]) -> Bool {
        keys.contains { ends.contains($0) }
    }

    // Ctrl-C and Ctrl-D come as bytes where the terminal leaves them alone.
    private static let ends: [TerminalKey] = [.escape, .byte(UInt8(ascii: "q")), .byte(UInt8(ascii: "Q")), .byte(3), .byte(4)]

    // What was typed; a terminal that is gone has the program end.
    private static func keys() -> [TerminalKey] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(0, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        return count > 0 ? TerminalKey.keys(in: Array(bytes[..<count])) : [.byte(4)]
    }

    private static var readsKeys: Bool { taken.load(ordering: .sequentiallyConsistent) != 0 }

    // In the background the terminal is somebody else's, and would stop the program.
    private static func takeKeys() {
        var mode = termios()
        guard isatty(0) == 1, tcgetpgrp(0) == getpgrp(), tcgetattr(0, &mode) == 0 else { return }
        let flags = mode.c_lflag & tcflag_t(ICANON | ECHO)
        mode.c_lflag &= ~flags
        guard flags != 0, tcsetattr(0, TCSANOW, &mode) == 0 else { return }
        taken.store(flags, ordering: .sequentiallyConsistent)
    }

    private static func giveBackKeys() {
        let flags = taken.exchange(0, ordering: .sequentiallyConsistent)
        var mode = termios()
        guard flags != 0, tcgetpgrp(0) == getpgrp(), tcgetattr(0, &mode) == 0 else { return }
        mode.c_lflag |= flags
        tcsetattr(0, TCSANOW, &mode)
    }

    /// Lines and columns.
    static var size: Size {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
            return Size(lines: 24, columns: 80)
        }
        return Size(lines: Int(size.ws_row), columns: Int(size.ws_col))
    }

    struct Size: Equatable {
        var lines: Int
        var columns: Int
    }

    /// Shows lines that fit the width; of more than there is room for the first, and how many are left out.
    static func draw(_ lines: [String], in size: Size) {
        Output.put("\u{1B}[H" + fitting(lines, size.lines).map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J", on: 1)
    }

    /// The lines for which there is room.
    static func fitting(_ lines: [String], _ room: Int) -> [String] {
        guard lines.count > room, room > 1 else { return Array(lines.prefix(max(room, 0))) }
        return lines.prefix(room - 1) + ["… and \(Digits.grouped(lines.count - room + 1)) more"]
    }
}

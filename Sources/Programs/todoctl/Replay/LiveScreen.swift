import Glibc

/// The other screen of a terminal, on which lines are drawn anew whenever they change, until a signal ends the program.
///
/// The terminal's mode stays as it is, so Ctrl-C is a signal as ever, also while the daemon is away.
enum LiveScreen {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Shows the other screen, which goes with the program.
    static func begin() {
        for number in signals {
            signal(number) { number in
                // What a signal handler may do is little: this is nothing but a write.
                let shell: StaticString = "\u{1B}[?25h\u{1B}[?1049l"
                _ = write(1, shell.utf8Start, shell.utf8CodeUnitCount)
                signal(number, SIG_DFL)
                raise(number)
            }
        }
        // It does nothing but to end a wait, so that a new size is seen at once.
        signal(SIGWINCH) { _ in }
        Output.put("\u{1B}[?1049h\u{1B}[?25l", on: 1)
    }

    /// Shows the shell's screen again.
    static func end() {
        Output.put("\u{1B}[?25h\u{1B}[?1049l", on: 1)
        for number in signals + [SIGWINCH] { signal(number, SIG_DFL) }
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

import Glibc

/// The user's terminal while keys come one by one and are not shown; given back at the end, also where a signal ends the program.
final class RawMode {
    /// Is at its end when a signal has come.
    let interruption: Int32
    private let before: termios

    /// Takes the terminal; `nil` if standard input or output is none.
    ///
    /// - Parameter flags: what it does no longer, beside gathering lines and showing keys.
    init?(without flags: Int32 = 0) {
        var mode = termios()
        guard isatty(0) == 1, isatty(1) == 1, tcgetattr(0, &mode) == 0 else { return nil }
        let given = mode
        let signals = Interruption.held()
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO | flags)
        guard tcsetattr(0, TCSANOW, &mode) == 0 else {
            close(signals)
            Interruption.release()
            return nil
        }
        (before, interruption) = (given, signals)
    }

    deinit {
        var mode = before
        tcsetattr(0, TCSANOW, &mode)
        close(interruption)
        Interruption.release()
    }
}

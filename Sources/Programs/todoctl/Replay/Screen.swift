import Glibc
import Synchronization
import Terminal

/// A terminal in a replay's hands: keys come one by one, the shell's screen is kept, and both are given back at the end.
///
/// They are also given back when a signal ends the program.
struct Screen: ~Copyable {
    private let mode: RawMode

    /// Takes the terminal; `nil` if standard input or output is none.
    static func taken() -> Screen? {
        // Ctrl-C comes as a key.
        guard let mode = RawMode(without: ISIG) else { return nil }
        // The other screen, without a cursor.
        Output.put("\u{1B}[?1049h\u{1B}[?25l", on: 1)
        signal(SIGWINCH) { _ in }
        return Screen(mode: mode)
    }

    private init(mode: RawMode) { self.mode = mode }

    // What `mode` gives back comes behind this.
    deinit {
        signal(SIGWINCH, SIG_DFL)
        Output.put("\u{1B}[?25h\u{1B}[?1049l", on: 1)
    }

    /// Lines and columns.
    var size: (lines: Int, columns: Int) {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return (24, 80) }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    // A terminal that changes its size interrupts the wait; between two of them that is found after so long.
    private static let sizeLook: Int64 = 1_000_000

    /// Waits for keys, but no longer than a time in microseconds, and than until the terminal may have another size.
    func keys(within pause: Int64?) -> [PlaybackKey] {
        let pause = min(pause ?? Self.sizeLook, Self.sizeLook)
        let milliseconds = Int32(clamping: max(0, (pause + 999) / 1000))
        guard Screen.wait(for: 0, or: mode.interruption, milliseconds) else { return Interruption.hasCome ? [.quit] : [] }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(0, &bytes, bytes.count)
        // A terminal that is gone ends the replay.
        return count > 0 ? PlaybackKey.keys(in: Array(bytes[..<count])) : [.quit]
    }

    /// What ends the wait for an answer of the daemon when a signal comes.
    var watch: (Int32) throws(Failure) -> Void {
        { [interruption = mode.interruption] answer throws(Failure) in
            while !Screen.wait(for: answer, or: interruption, -1) {
                guard !Interruption.hasCome else { throw Failure(.unreachable, "Ended by a signal.") }
            }
        }
    }

    // Whether the descriptor can be read, rather than that the time is over or a signal came.
    private static func wait(for descriptor: Int32, or interruption: Int32, _ milliseconds: Int32) -> Bool {
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
        ]
        guard !Interruption.hasCome, poll(&polled, 2, milliseconds) > 0 else { return false }
        return polled[1].revents == 0 && polled[0].revents != 0
    }

    /// Shows lines, cut to the width, and below them one more.
    func show(_ lines: [String], below bar: String) {
        let (height, columns) = size
        var text = "\u{1B}[H"
        for line in lines.prefix(height - 1) { text += Width.cut(line, to: columns) + "\u{1B}[K\r\n" }
        text += "\u{1B}[J\u{1B}[\(height);1H" + bar
        Output.put(text, on: 1)
    }
}

/// A signal that asks the program to end, held back until the terminal is as it was.
///
/// What a signal handler may do is little: it notes the signal and closes a pipe, so that whoever waits on the other end goes on.
enum Interruption {
    private static let signals = [SIGTERM, SIGHUP, SIGINT, SIGQUIT]
    private static let caught = Atomic<Int32>(0)
    private static let open = Atomic<Int32>(-1)

    /// Begins to hold signals back; the descriptor is at its end when one has come.
    static func held() -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return -1 }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        open.store(ends[1], ordering: .sequentiallyConsistent)
        caught.store(0, ordering: .sequentiallyConsistent)
        for number in signals {
            signal(number) { number in
                Interruption.caught.store(number, ordering: .sequentiallyConsistent)
                let end = Interruption.open.exchange(-1, ordering: .sequentiallyConsistent)
                if end >= 0 { close(end) }
            }
        }
        return ends[0]
    }

    /// Whether a signal has come.
    static var hasCome: Bool { caught.load(ordering: .sequentiallyConsistent) != 0 }

    /// Lets signals end the program again; one that was held back does so now.
    static func release() {
        for number in signals { signal(number, SIG_DFL) }
        let number = caught.load(ordering: .sequentiallyConsistent)
        if number != 0 { raise(number) }
    }
}

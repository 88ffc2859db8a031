import Glibc

/// How far a long verb has come, on a terminal and only after a second.
struct Progress {
    private let isShown = isatty(2) == 1
    private let start = Clock.uptime()
    private var shown: Int64 = 0
    private var isOnScreen = false

    /// Shows a count, at most ten times a second.
    mutating func show(_ count: Int) { put { _ in "\(Digits.grouped(count)) added" } }

    /// Shows how far a search through the log is, at most ten times a second.
    mutating func show(record reached: UInt64, of last: UInt64? = nil) {
        put { _ in "record \(Digits.grouped(reached))" + (last.map { " of \(Digits.grouped($0))" } ?? "") }
    }

    /// Shows what is waited for, and how long already.
    mutating func show(_ text: String) { put { seconds in "\(text), \(seconds) s" } }

    // Nothing is made of what is not shown.
    private mutating func put(_ text: (_ seconds: Int64) -> String) {
        let now = Clock.uptime()
        guard isShown, now - start > 1_000_000, now - shown > 100_000 else { return }
        shown = now
        isOnScreen = true
        Output.note("\r\(text((now - start) / 1_000_000))\u{1B}[K")
    }

    /// Waits for the answer to a call, and says after a second that it still does.
    static func wait(on descriptor: Int32) {
        guard isatty(2) == 1 else { return }
        let start = Clock.uptime()
        var isOnScreen = false
        var answer = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&answer, 1, 1_000) == 0 {
            isOnScreen = true
            Output.note("\rworking, \((Clock.uptime() - start) / 1_000_000) s\u{1B}[K")
        }
        if isOnScreen { Output.note("\r\u{1B}[K") }
    }

    /// Tells a person at a terminal what goes on, on a line of its own: a count that stood there goes.
    static func tell(_ text: String) {
        if isatty(2) == 1 { Output.complain("\r\u{1B}[K" + text) }
    }

    /// Takes the count away again.
    mutating func clear() {
        guard isOnScreen else { return }
        isOnScreen = false
        Output.note("\r\u{1B}[K")
    }
}

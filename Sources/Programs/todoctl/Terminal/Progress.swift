import Glibc

/// Progress of a long operation; shown on a terminal only, after one second.
struct Progress {
    private let isShown = isatty(2) == 1
    private let start = Clock.uptime()
    private var shown: Int64 = 0
    private var isOnScreen = false

    mutating func show(_ count: Int) { put { _ in "\(Digits.grouped(count)) added" } }

    mutating func show(record reached: UInt64, of last: UInt64? = nil) {
        put { _ in "record \(Digits.grouped(reached))" + (last.map { " of \(Digits.grouped($0))" } ?? "") }
    }

    mutating func show(_ text: String) { put { seconds in "\(text), \(seconds) s" } }

    // Builds the text only if it is shown.
    private mutating func put(_ text: (_ seconds: Int64) -> String) {
        let now = Clock.uptime()
        guard isShown, now - start > 1_000_000, now - shown > 100_000 else { return }
        shown = now
        isOnScreen = true
        Output.note("\r\(text((now - start) / 1_000_000))\u{1B}[K")
    }

    /// Waits for a reply, and shows that after one second.
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

    /// Writes a note for the user of a terminal on its own line, replacing the progress.
    static func tell(_ text: String) {
        if isatty(2) == 1 { Output.complain("\r\u{1B}[K" + text) }
    }

    mutating func clear() {
        guard isOnScreen else { return }
        isOnScreen = false
        Output.note("\r\u{1B}[K")
    }
}

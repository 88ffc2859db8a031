import Glibc

/// How far a long verb has come, on a terminal and only after a second.
struct Progress {
    private let isShown = isatty(2) == 1
    private let start = Clock.uptime()
    private var last: Int64 = 0
    private var isOnScreen = false

    /// Shows a count, at most ten times a second.
    mutating func show(_ count: Int) {
        let now = Clock.uptime()
        guard isShown, now - start > 1_000_000, now - last > 100_000 else { return }
        last = now
        isOnScreen = true
        Output.note("\r\(Digits.grouped(count)) added")
    }

    /// Takes the count away again.
    mutating func clear() {
        guard isOnScreen else { return }
        isOnScreen = false
        Output.note("\r\u{1B}[K")
    }
}

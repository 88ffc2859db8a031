/// Waits longer and longer, but in all no longer than its patience.
struct Retry {
    /// Microseconds, counted from the first wait.
    let patience: Int64
    private var deadline: Int64?
    private var pause: Int64 = 5_000

    init(patience: Int64) { self.patience = patience }

    /// Forgets the trouble: something worked.
    mutating func reset() {
        deadline = nil
        pause = 5_000
    }

    /// Waits before the next attempt; false when the patience is at its end.
    mutating func wait() -> Bool {
        let now = Clock.uptime()
        let deadline = deadline ?? now + patience
        self.deadline = deadline
        guard now + pause < deadline else { return false }
        Clock.pause(microseconds: pause)
        pause = min(pause * 2, 200_000)
        return true
    }
}

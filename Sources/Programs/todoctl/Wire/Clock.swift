import Glibc

/// The clocks of the machine.
enum Clock {
    /// Microseconds since 1970.
    static func now() -> Int64 { microseconds(CLOCK_REALTIME) }

    /// Microseconds that only ever grow.
    static func uptime() -> Int64 { microseconds(CLOCK_MONOTONIC) }

    /// Lets some time pass.
    static func pause(microseconds: Int64) {
        var time = timespec(tv_sec: Int(microseconds / 1_000_000), tv_nsec: Int(microseconds % 1_000_000) * 1000)
        var rest = timespec()
        while nanosleep(&time, &rest) != 0, errno == EINTR { time = rest }
    }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec / 1000)
    }
}

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
    ///
    /// - Parameter passing: lets a time in microseconds pass.
    mutating func wait(_ passing: (Int64) throws(Failure) -> Void) throws(Failure) -> Bool {
        let now = Clock.uptime()
        let deadline = deadline ?? now + patience
        self.deadline = deadline
        guard now + pause < deadline else { return false }
        try passing(pause)
        pause = min(pause * 2, 200_000)
        return true
    }
}

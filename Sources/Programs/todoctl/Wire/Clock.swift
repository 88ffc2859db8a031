import Glibc

enum Clock {
    static func now() -> Int64 { microseconds(CLOCK_REALTIME) }

    /// Monotonic microseconds.
    static func uptime() -> Int64 { microseconds(CLOCK_MONOTONIC) }

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

/// Exponential backoff with a total time limit.
struct Retry {
    /// Microseconds since the first wait.
    let patience: Int64
    private var deadline: Int64?
    private var pause: Int64 = 5_000

    init(patience: Int64) { self.patience = patience }

    mutating func reset() {
        deadline = nil
        pause = 5_000
    }

    /// Waits before the next attempt; false if the time limit is reached.
    ///
    /// - Parameter passing: sleeps for some microseconds.
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

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

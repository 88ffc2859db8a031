import Glibc

/// Where the store reads the time; tests inject their own.
public struct StoreClock: Sendable {
    /// Microseconds since 1970.
    public var wall: @Sendable () -> Int64
    /// Microseconds since the machine was booted, sleep included.
    public var boot: @Sendable () -> Int64

    /// Makes a clock.
    public init(wall: @escaping @Sendable () -> Int64, boot: @escaping @Sendable () -> Int64) {
        self.wall = wall
        self.boot = boot
    }

    /// The machine's clocks.
    public static let system = StoreClock(
        wall: { microseconds(CLOCK_REALTIME) },
        boot: { microseconds(CLOCK_BOOTTIME) })

    var reading: RecordClock.Reading { RecordClock.Reading(wall: wall(), boot: boot()) }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}

import Glibc
import StoreRuntime

/// Where a runner reads the time, and sleeps; tests inject their own.
public struct RunnerClock: Sendable {
    /// Microseconds since 1970; may jump.
    public var wall: @Sendable () -> Int64
    /// Microseconds since some moment; never jumps.
    public var monotonic: @Sendable () -> Int64
    /// Sleeps for a while on the monotonic clock; throws when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// Makes a clock.
    public init(
        wall: @escaping @Sendable () -> Int64, monotonic: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.wall = wall
        self.monotonic = monotonic
        self.sleep = sleep
    }

    /// Makes one that sleeps on a clock of the standard library's kind.
    public init<Base: Clock>(_ clock: Base, wall: @escaping @Sendable () -> Int64) where Base.Duration == Duration {
        let start = clock.now
        self.init(
            wall: wall, monotonic: { start.duration(to: clock.now).microseconds },
            sleep: { try await clock.sleep(for: $0) })
    }

    /// The machine's clocks; time asleep counts.
    public static var system: RunnerClock {
        RunnerClock(ContinuousClock()) {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
        }
    }
}

import CMachine
import ChronicleLog

/// The clock of the store and the command runner; tests inject their own.
public struct StoreClock: Sendable {
    /// Microseconds since 1970; may jump.
    public var wall: @Sendable () -> Int64
    /// Microseconds since boot, including suspend; never jumps.
    public var boot: @Sendable () -> Int64
    /// Sleeps on the boot clock; throws when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    public init(
        wall: @escaping @Sendable () -> Int64, boot: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await ContinuousClock().sleep(for: $0) }
    ) {
        self.wall = wall
        self.boot = boot
        self.sleep = sleep
    }

    /// Creates a clock whose boot time starts now and passes on a clock of the standard library's kind.
    public init<Base: Clock>(_ clock: Base, wall: @escaping @Sendable () -> Int64) where Base.Duration == Duration {
        let start = clock.now
        self.init(wall: wall, boot: { start.duration(to: clock.now).microseconds }, sleep: { try await clock.sleep(for: $0) })
    }

    /// Microseconds by which the wall clock is behind a record's time; 0 up to a second, because records written at once are ahead.
    public func behind(_ time: Int64) -> Int64 {
        let lead = time.subtracting(clamping: wall())
        return lead > 1_000_000 ? lead : 0
    }

    public static let system = StoreClock(wall: { wall_microseconds() }, boot: { boot_microseconds() })
}

/// Nanoseconds of a monotonic clock, for measuring durations.
package func monotonicNanoseconds() -> UInt64 { monotonic_nanoseconds() }

extension Duration {
    /// Whole microseconds, rounded toward zero.
    package var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !isOver else { return seconds < 0 ? .min : .max }
        return whole.adding(clamping: attoseconds / 1_000_000_000_000)
    }
}

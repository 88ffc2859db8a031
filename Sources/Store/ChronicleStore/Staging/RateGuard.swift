import ChronicleLog

/// Limits the rate at which command ends request further commands, to stop loops.
///
/// Allows a burst of `perMinuteMax` commands, then as many per minute, evenly.
struct RateGuard: Sendable {
    let perMinuteMax: Int
    private(set) var refused: UInt64 = 0
    // The time at which all admitted commands would have come at an even rate, in microseconds since 1970.
    private var reached: Int64 = .min

    init(perMinuteMax: Int) { self.perMinuteMax = perMinuteMax }

    private static var minute: Int64 { 60_000_000 }

    /// Whether one more command may be requested at a time in microseconds since 1970; counts it if so.
    mutating func admits(at now: Int64) -> Bool {
        let next = max(reached, now).adding(clamping: Self.minute / Int64(perMinuteMax))
        guard next <= now.adding(clamping: Self.minute) else {
            refused += 1
            return false
        }
        reached = next
        return true
    }
}

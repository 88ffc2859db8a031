import Records

/// Judges whether ends of commands ask for so many others that it looks like a loop, which need not be deep.
///
/// So many at once, and after them as many in a minute, evenly.
struct RateGuard: Sendable {
    /// Commands that ends may ask for in a minute.
    let perMinuteMax: Int
    /// How many it has not let through.
    private(set) var refused: UInt64 = 0
    // When all that was asked for so far would have been, had it come evenly, in microseconds since 1970.
    private var reached: Int64 = .min

    init(perMinuteMax: Int) { self.perMinuteMax = perMinuteMax }

    private static var minute: Int64 { 60_000_000 }

    /// Whether one more may be asked for at a time in microseconds since 1970, which then counts.
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

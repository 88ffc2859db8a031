public import ChronicleStore

/// The limits, clock and randomness of a runner.
public struct RunnerOptions: Sendable {
    /// Maximum number of concurrent attempts.
    public var runningMax: Int
    /// The delay after the first failed attempt; doubled after each further one.
    public var backoffMin: Duration
    /// The clock.
    public var clock: StoreClock
    /// A random number from 0 up to 1, for jitter between retries.
    public var random: @Sendable () -> Double
    /// The points at which a test kills the process.
    public var crashPoints: CrashPoints
    /// Receives messages for the log; must not block.
    public var note: @Sendable (RunnerNote) -> Void

    public init(
        runningMax: Int = 16, backoffMin: Duration = .seconds(1), clock: StoreClock = .system,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, crashPoints: CrashPoints = CrashPoints(),
        note: @escaping @Sendable (RunnerNote) -> Void = { _ in }
    ) {
        precondition(runningMax > 0, "without attempts no command ever ends")
        self.runningMax = runningMax
        self.backoffMin = backoffMin
        self.clock = clock
        self.random = random
        self.crashPoints = crashPoints
        self.note = note
    }

    /// Maximum delay between two attempts, unless the target requests more.
    private static var backoffMax: Duration { .seconds(300) }
    static var retryAfterMax: Duration { .seconds(86_400) }
    /// The delay before the next try when the storage is full.
    static var storagePause: Duration { .seconds(1) }

    /// The delay after a failed attempt, from 1: a random value between half and all of the exponential backoff.
    func backoff(after attempt: UInt32, asking retryAfter: Duration?) -> Duration {
        let doublings = min(attempt - min(attempt, 1), 32)
        let whole = min(Self.backoffMax, backoffMin * (1 << Int(doublings)))
        let spread = whole / 2 + whole * random() / 2
        return max(spread, min(retryAfter ?? .zero, Self.retryAfterMax))
    }
}

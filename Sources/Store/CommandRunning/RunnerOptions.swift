public import StoreRuntime

/// How commands are run: limits, clocks, chance.
public struct RunnerOptions: Sendable {
    /// How many attempts may be under way at once.
    public var runningMax: Int
    /// How long after its first failed attempt a command is tried again; doubled with each further one.
    public var backoffMin: Duration
    /// Where the time comes from.
    public var clock: StoreClock
    /// Chance: a number from 0 up to 1, which spreads attempts that failed together.
    public var random: @Sendable () -> Double
    /// Where a test kills the process.
    public var crashPoints: CrashPoints
    /// Is told what a person may want to read in the log; must not block.
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

    /// The longest time between two attempts, unless the target asks for more.
    private static var backoffMax: Duration { .seconds(300) }
    /// The longest pause that a target can ask for.
    static var retryAfterMax: Duration { .seconds(86_400) }
    /// The pause before the next try when the storage is full.
    static var storagePause: Duration { .seconds(1) }

    /// How long to wait after a failed attempt, the first being 1: between half and all of what doubling gives.
    func backoff(after attempt: UInt32, asking retryAfter: Duration?) -> Duration {
        let doublings = min(attempt - min(attempt, 1), 32)
        let whole = min(Self.backoffMax, backoffMin * (1 << Int(doublings)))
        let spread = whole / 2 + whole * random() / 2
        return max(spread, min(retryAfter ?? .zero, Self.retryAfterMax))
    }
}

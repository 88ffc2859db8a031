public import Reducing
import Synchronization

/// A clock whose time passes only when a test says so.
///
/// Nobody ever waits for real: `sleeping(_:)` returns when the tasks under test have gone to sleep, `advance(by:)` then
/// wakes those that are due. A copy of the reference is the same clock.
public final class TestClock: Clock, Sendable {
    private let sleepers: Mutex<Sleepers>

    /// On whose behalf the tasks below sleep; `nil`: on nobody's.
    @TaskLocal package static var sleepOwner: Int?

    /// Makes a clock that stands still at a time in microseconds since 1970.
    public init(microseconds: Int64 = Context.test.time) {
        sleepers = Mutex(Sleepers(now: Instant(microseconds: microseconds)))
    }

    /// What time it is.
    public var now: Instant { sleepers.withLock { $0.now } }

    /// What time it is, in whole microseconds since 1970; a record's time.
    public var microseconds: Int64 { now.microseconds }

    /// Time that a test makes up has no grain.
    public var minimumResolution: Duration { .zero }

    /// When those who sleep now are due, earliest first.
    public var dues: [Instant] { sleepers.withLock { $0.dues } }

    /// Suspends until the clock was advanced to an instant, or returns at once if it has passed.
    ///
    /// - Throws: as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws(CancellationError) {
        try await suspended(.due(deadline))
    }

    /// Suspends until at least `count` tasks sleep on this clock: the moment to advance it.
    ///
    /// - Throws: as soon as the task is cancelled, say by the test's time limit.
    public func sleeping(_ count: Int = 1) async throws(CancellationError) {
        try await suspended(.sleeping(count))
    }

    /// Moves on and wakes whoever is due on the way, in the order of their instants, then of their going to sleep.
    ///
    /// Returns before they have run. One that sleeps again counts from the instant reached here, so walk through
    /// repeated sleeps step by step, with `sleeping(_:)` between.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time in a test moves forwards only")
        for sleeper in sleepers.withLock({ $0.advance(to: $0.now.advanced(by: duration)) }) {
            sleeper.resume(returning: .success(()))
        }
    }

    /// Moves on to the instant at which the next sleeper is due and wakes it; says how far that was, or `nil` if nobody sleeps.
    ///
    /// Others that are due at the same instant wake too.
    @discardableResult public func advanceToNext() -> Duration? {
        let (distance, woken) = sleepers.withLock { sleepers -> (Duration?, [Sleepers.Continuation]) in
            guard let due = sleepers.dues.first else { return (nil, []) }
            return (sleepers.now.duration(to: due), sleepers.advance(to: due))
        }
        for sleeper in woken { sleeper.resume(returning: .success(())) }
        return distance
    }

    /// Moves on to the instant at which the next sleeper is due, and wakes no other.
    package func wakeFirst() {
        sleepers.withLock { $0.wakeFirst() }?.resume(returning: .success(()))
    }

    /// Whether a task sleeps that was begun on behalf of an owner.
    package func hasSleeper(of owner: Int) -> Bool { sleepers.withLock { $0.hasSleeper(of: owner) } }

    private func suspended(_ reason: Sleepers.Reason) async throws(CancellationError) {
        let id = sleepers.withLock { $0.nextID() }
        try await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Sleepers.Continuation) in
                // Asked under the lock: a cancellation that comes later finds the sleeper there, one before is seen here.
                let woken = sleepers.withLock { sleepers -> [(Sleepers.Continuation, Result<Void, CancellationError>)] in
                    if Task.isCancelled { return [(continuation, .failure(CancellationError()))] }
                    return sleepers.add(continuation, id, reason, of: Self.sleepOwner).map { ($0, .success(())) }
                }
                for (continuation, result) in woken { continuation.resume(returning: result) }
            }
        } onCancel: {
            sleepers.withLock { $0.remove(id) }?.resume(returning: .failure(CancellationError()))
        }.get()
    }
}

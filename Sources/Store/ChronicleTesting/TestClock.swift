public import Chronicle
import Synchronization

/// A clock whose time passes only when a test advances it.
///
/// Tests never really wait: `sleeping(_:)` returns when the tasks under test sleep, and `advance(by:)` wakes the due ones.
public final class TestClock: Clock, Sendable {
    private let sleepers: Mutex<Sleepers>

    /// The owner of the current task's sleeps; `nil`: none.
    @TaskLocal package static var sleepOwner: Int?

    /// Creates a stopped clock at a time in microseconds since 1970.
    public init(microseconds: Int64 = Context.test.time) { sleepers = Mutex(Sleepers(now: Instant(microseconds: microseconds))) }

    public var now: Instant { sleepers.withLock { $0.now } }

    /// The current time in whole microseconds since 1970, like a record's time.
    public var microseconds: Int64 { now.microseconds }

    public var minimumResolution: Duration { .zero }

    /// The due times of the sleeping tasks, earliest first.
    public var dues: [Instant] { sleepers.withLock { $0.dues } }

    /// Suspends until the clock reaches an instant; returns at once if it has passed.
    /// - Throws: when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws(CancellationError) {
        try await suspended(.due(deadline))
    }

    /// Suspends until at least `count` tasks sleep on this clock, so that it can be advanced.
    /// - Throws: when the task is cancelled, for example by the test's time limit.
    public func sleeping(_ count: Int = 1) async throws(CancellationError) { try await suspended(.sleeping(count)) }

    /// Advances the time and wakes due tasks by instant, then by the order of their going to sleep.
    ///
    /// Returns before they have run. A task that sleeps again counts from the instant reached here, so step through repeated sleeps with
    /// `sleeping(_:)` in between.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time in a test moves forwards only")
        for sleeper in sleepers.withLock({ $0.advance(to: $0.now.advanced(by: duration)) }) {
            sleeper.resume(returning: .success(()))
        }
    }

    /// Advances to the instant of the next sleeper and wakes all that are due then; returns the distance, or `nil` if no task sleeps.
    @discardableResult public func advanceToNext() -> Duration? {
        let (distance, woken) = sleepers.withLock { sleepers -> (Duration?, [Sleepers.Continuation]) in
            guard let due = sleepers.dues.first else { return (nil, []) }
            return (sleepers.now.duration(to: due), sleepers.advance(to: due))
        }
        for sleeper in woken { sleeper.resume(returning: .success(())) }
        return distance
    }

    /// Advances to the instant of the next sleeper, and wakes only that one.
    package func wakeFirst() { sleepers.withLock { $0.wakeFirst() }?.resume(returning: .success(())) }

    package func hasSleeper(of owner: Int) -> Bool { sleepers.withLock { $0.hasSleeper(of: owner) } }

    private func suspended(_ reason: Sleepers.Reason) async throws(CancellationError) {
        let id = sleepers.withLock { $0.nextID() }
        try await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Sleepers.Continuation) in
                // Checked under the lock: a later cancellation finds the sleeper, an earlier one is seen here.
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

extension TestClock {
    public struct Instant: InstantProtocol {
        public var sinceEpoch: Duration

        public init(microseconds: Int64) { sinceEpoch = .microseconds(microseconds) }

        /// Whole microseconds since 1970, rounded toward zero.
        public var microseconds: Int64 {
            let (seconds, attoseconds) = sinceEpoch.components
            return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        }

        public func advanced(by duration: Duration) -> Instant {
            var later = self
            later.sinceEpoch += duration
            return later
        }

        public func duration(to other: Instant) -> Duration { other.sinceEpoch - sinceEpoch }

        public static func < (left: Instant, right: Instant) -> Bool { left.sinceEpoch < right.sinceEpoch }
    }
}

/// The tasks that sleep on a test clock; a pure value that returns the tasks to wake.
struct Sleepers {
    typealias Continuation = CheckedContinuation<Result<Void, CancellationError>, Never>

    enum Reason {
        case due(TestClock.Instant)
        case sleeping(Int)
    }

    private(set) var now: TestClock.Instant
    private var lastID = 0
    // Both in waking order.
    private var sleeping: [(id: Int, due: TestClock.Instant, owner: Int?, continuation: Continuation)] = []
    private var watching: [(id: Int, count: Int, continuation: Continuation)] = []

    init(now: TestClock.Instant) { self.now = now }

    var dues: [TestClock.Instant] { sleeping.map(\.due) }

    func hasSleeper(of owner: Int) -> Bool { sleeping.contains { $0.owner == owner } }

    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    /// Returns the continuations to resume at once: the caller's, or those that waited for one more sleeper.
    mutating func add(_ continuation: Continuation, _ id: Int, _ reason: Reason, of owner: Int?) -> [Continuation] {
        switch reason {
        case .due(let due):
            guard due > now else { return [continuation] }
            let index = sleeping.firstIndex { $0.due > due } ?? sleeping.endIndex
            sleeping.insert((id, due, owner, continuation), at: index)
            let content = watching.filter { $0.count <= sleeping.count }
            watching.removeAll { $0.count <= sleeping.count }
            return content.map(\.continuation)
        case .sleeping(let count):
            guard count > sleeping.count else { return [continuation] }
            watching.append((id, count, continuation))
            return []
        }
    }

    mutating func remove(_ id: Int) -> Continuation? {
        if let index = sleeping.firstIndex(where: { $0.id == id }) { return sleeping.remove(at: index).continuation }
        if let index = watching.firstIndex(where: { $0.id == id }) { return watching.remove(at: index).continuation }
        return nil
    }

    mutating func advance(to instant: TestClock.Instant) -> [Continuation] {
        now = instant
        let due = sleeping.prefix { $0.due <= instant }
        sleeping.removeFirst(due.count)
        return due.map(\.continuation)
    }

    /// Removes the first sleeper and moves to its instant; others with the same instant keep sleeping.
    mutating func wakeFirst() -> Continuation? {
        guard let first = sleeping.first else { return nil }
        now = max(now, first.due)
        sleeping.removeFirst()
        return first.continuation
    }
}

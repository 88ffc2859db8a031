public import Chronicle
import ChronicleStore

/// A clock whose time passes only when a test advances it.
///
/// Tests never really wait: `sleeping(_:)` returns when the tasks under test sleep, and `advance(by:)` wakes the due ones.
public final class TestClock: Clock, Sendable {
    private struct Sleeper {
        var id: Int
        var due: Instant
        var owner: Int?
    }

    private struct Content {
        var now: Instant
        var lastID = 0
        /// In waking order.
        var sleepers: [Sleeper] = []

        mutating func add(_ due: Instant, of owner: Int?) -> Int {
            lastID += 1
            let index = sleepers.firstIndex { $0.due > due } ?? sleepers.endIndex
            sleepers.insert(Sleeper(id: lastID, due: due, owner: owner), at: index)
            return lastID
        }

        func sleeps(_ id: Int) -> Bool { sleepers.contains { $0.id == id } }
    }

    private let content: Monitor<Content>

    /// The owner of the current task's sleeps; `nil`: none.
    @TaskLocal package static var sleepOwner: Int?

    /// Creates a stopped clock at a time in microseconds since 1970.
    public init(microseconds: Int64 = Context.test.time) { content = Monitor(Content(now: Instant(microseconds: microseconds))) }

    public var now: Instant { content.value.now }

    /// The current time in whole microseconds since 1970, like a record's time.
    public var microseconds: Int64 { now.microseconds }

    public var minimumResolution: Duration { .zero }

    /// The due times of the sleeping tasks, earliest first.
    public var dues: [Instant] { content.value.sleepers.map(\.due) }

    /// Suspends until the clock reaches an instant; returns at once if it has passed.
    /// - Throws: when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        let added = content.withLock { $0.now < deadline ? $0.add(deadline, of: Self.sleepOwner) : nil }
        guard let id = added else { return }
        if await content.waitUnlessCancelled({ $0.sleeps(id) ? nil : true }) != nil { return }
        wake(id)
        throw CancellationError()
    }

    /// Suspends until at least `count` tasks sleep on this clock, so that it can be advanced.
    /// - Throws: when the task is cancelled, for example by the test's time limit.
    public func sleeping(_ count: Int = 1) async throws(CancellationError) {
        let isReached = await content.waitUnlessCancelled { $0.sleepers.count >= count ? true : nil }
        if isReached == nil { throw CancellationError() }
    }

    /// Advances the time and wakes due tasks by instant, then by the order of their going to sleep.
    ///
    /// Returns before they have run. A task that sleeps again counts from the instant reached here, so step through repeated sleeps with
    /// `sleeping(_:)` in between.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time in a test moves forwards only")
        advance { $0.advanced(by: duration) }
    }

    /// Advances to the instant of the next sleeper and wakes all that are due then; returns the distance, or `nil` if no task sleeps.
    @discardableResult public func advanceToNext() -> Duration? {
        let (now, next) = content.withLock { ($0.now, $0.sleepers.first?.due) }
        guard let next else { return nil }
        advance { max($0, next) }
        return now.duration(to: next)
    }

    private func advance(to instant: (Instant) -> Instant) {
        let due = content.withLock { content in
            content.now = instant(content.now)
            return content.sleepers.prefix { $0.due <= content.now }.map(\.id)
        }
        // One by one, in this order.
        for id in due { wake(id) }
    }

    private func wake(_ id: Int) { content.withLock { content in content.sleepers.removeAll { $0.id == id } } }

    /// Advances to the instant of the next sleeper, and wakes only that one; others with the same instant keep sleeping.
    package func wakeFirst() {
        content.withLock { content in
            guard let first = content.sleepers.first else { return }
            content.now = max(content.now, first.due)
            content.sleepers.removeFirst()
        }
    }

    package func hasSleeper(of owner: Int) -> Bool { content.value.sleepers.contains { $0.owner == owner } }

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

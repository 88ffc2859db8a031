import CommandRunning
import StoreRuntime
import StoreTesting
import Synchronization

/// Virtual time that goes on by itself whenever everybody has had many chances to do something first.
final class QuickClock: Sendable {
    private let clock: TestClock
    private let count = Atomic<Int>(0)

    init(_ clock: TestClock) { self.clock = clock }

    /// How many sleep.
    var sleepers: Int { count.load(ordering: .relaxed) }

    var runnerClock: StoreClock {
        let start = clock.now
        return StoreClock(
            wall: { self.clock.microseconds }, boot: { start.duration(to: self.clock.now).microseconds },
            sleep: { try await self.sleep($0) })
    }

    private func sleep(_ duration: Duration) async throws {
        count.add(1, ordering: .relaxed)
        defer { count.subtract(1, ordering: .relaxed) }
        let due = clock.now.advanced(by: duration)
        while clock.now < due {
            for _ in 0..<200 {
                await Task.yield()
                try Task.checkCancellation()
            }
            clock.advance(by: min(.milliseconds(100), clock.now.duration(to: max(due, clock.now))))
        }
    }
}

extension Duration {
    fileprivate var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}

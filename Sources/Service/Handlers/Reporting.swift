import Synchronization
import TodoAPI
import VarlinkNIO

extension ReplyHandle {
    /// Does long work, and meanwhile says how far it is, if the caller takes more than one reply.
    ///
    /// What is reached while the caller does not read is not told, and the work does not wait for it.
    func reporting<Answer: Sendable>(
        on stream: ReplyStream, _ message: @escaping @Sendable (UInt64) -> some Message,
        _ work: (@escaping @Sendable (UInt64) -> Void) async throws -> Answer
    ) async throws -> Answer {
        guard more else { return try await work { _ in } }
        let pace = ReportPace()
        return try await work { reached in
            if pace.isDue() { stream.offer(message(reached)) }
        }
    }
}

/// Lets through ten reports a second.
final class ReportPace: Sendable {
    private static let pause: Duration = .milliseconds(100)

    private let last = Mutex(ContinuousClock.now)

    /// Whether a report is due now, which then counts as made.
    func isDue() -> Bool {
        last.withLock { last in
            let now = ContinuousClock.now
            guard last.duration(to: now) > Self.pause else { return false }
            last = now
            return true
        }
    }
}

import StoreRuntime
import Synchronization
import TodoAPI
import VarlinkNIO

extension ReplyStream {
    private static let reportNanosecondsMin: UInt64 = 200_000_000

    /// Runs a long query, and sends on how far it is: the latest alone, a few times a second.
    ///
    /// When the client is gone, the query is cancelled.
    func reporting<Answer: Sendable>(
        _ message: @Sendable (UInt64) -> some Message,
        _ query: @escaping @Sendable (@escaping @Sendable (UInt64) -> Void) async throws -> Answer
    ) async throws -> Answer {
        let (reports, continuation) = AsyncStream.makeStream(of: UInt64.self, bufferingPolicy: .bufferingNewest(1))
        return try await withThrowingTaskGroup(of: Answer.self) { group in
            group.addTask {
                defer { continuation.finish() }
                let last = Mutex(ContinuousClock.now)
                return try await query { sequence in
                    let isDue = last.withLock { last in
                        guard ContinuousClock.now - last > .nanoseconds(Self.reportNanosecondsMin) else { return false }
                        last = .now
                        return true
                    }
                    if isDue { continuation.yield(sequence) }
                }
            }
            for await sequence in reports { try await send(message(sequence)) }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }
}

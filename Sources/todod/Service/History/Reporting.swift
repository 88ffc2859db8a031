import TodoAPI
import VarlinkNIO

extension ReplyHandle {
    /// Does long work, and meanwhile says how far it is, if the caller takes more than one reply.
    ///
    /// What is reached while the caller does not read is not told, except for the last.
    func reporting<Answer: Sendable>(
        on stream: ReplyStream, _ message: @escaping @Sendable (UInt64) -> some Message,
        _ work: @escaping @Sendable (@escaping @Sendable (UInt64) -> Void) async throws -> Answer
    ) async throws -> Answer {
        guard more else { return try await work { _ in } }
        let (reached, continuation) = AsyncStream.makeStream(of: UInt64.self, bufferingPolicy: .bufferingNewest(1))
        return try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask {
                defer { continuation.finish() }
                return try await work { continuation.yield($0) }
            }
            group.addTask {
                var last = ContinuousClock.now
                for await sequence in reached where last.duration(to: .now) > Self.reportPause {
                    last = .now
                    try await stream.send(message(sequence))
                }
                return nil
            }
            var answer: Answer?
            for try await part in group { answer = part ?? answer }
            guard let answer else { throw CancellationError() }
            return answer
        }
    }

    private static var reportPause: Duration { .milliseconds(100) }
}

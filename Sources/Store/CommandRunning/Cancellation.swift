/// Cancels one attempt among others of the same task group.
struct Cancellation: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: Never.self) }

    func cancel() { continuation.finish() }

    /// Returns when it is cancelled, or the task is.
    func wait() async {
        for await _ in stream {}
    }
}

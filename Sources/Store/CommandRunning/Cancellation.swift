struct Cancellation: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: Never.self) }

    func cancel() { continuation.finish() }

    func wait() async {
        for await _ in stream {}
    }
}

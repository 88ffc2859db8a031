/// Opens once; whoever waits then goes on.
struct Gate: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: Never.self) }

    func open() { continuation.finish() }

    func wait() async {
        for await _ in stream {}
    }
}

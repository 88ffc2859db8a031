import DaemonProcess
import ServiceLifecycle
import VarlinkNIO

/// Serves the sockets until the daemon stops.
struct SocketService: Service {
    let server: VarlinkServer
    let listeners: [VarlinkListener]
    let stopSeconds: Int
    let accepting: Gate

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await server.run(on: listeners) { accepting.open() }
        } onGracefulShutdown: {
            // What is left of the time is for the store's last snapshot.
            server.stop(within: .seconds(max(1, stopSeconds / 2)))
        }
    }
}

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

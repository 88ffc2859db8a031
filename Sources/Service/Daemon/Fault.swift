import ServiceLifecycle
import Synchronization

/// Ends the daemon when it is unknown what is on disk.
final class Fault: Service {
    private let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
    private let failure = Mutex<StartFailure?>(nil)

    /// What happened, once something has.
    var known: StartFailure? { failure.withLock { $0 } }

    /// Tells of an unknown outcome; from any thread.
    func report(_ what: String) {
        failure.withLock { failure in
            failure = StartFailure(
                .inputOutput,
                "It is unknown what is on disk: \(what). What was acknowledged is; the rest is asked again by its key.")
        }
        continuation.yield(what)
    }

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            for await _ in self.stream {
                if let known = self.known { throw known }
            }
        }
    }
}

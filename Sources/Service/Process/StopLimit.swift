import Glibc
import ServiceLifecycle

/// Ends the process when it has not stopped in time, whatever still holds it up.
///
/// What is acknowledged is on disk, and what was interrupted runs again at the next start, so nothing is lost but time.
struct StopLimit: Service {
    /// How long after everything was cancelled it may take to come to an end, in seconds; with the time to stop, less than a unit gives.
    static let graceSeconds = 5

    private let seconds: Int

    /// Makes a limit that counts from the first word of stopping; it must be the last service of its group, which is told first.
    init(stopSeconds: Int) { seconds = stopSeconds + StopLimit.graceSeconds }

    /// Waits for the stop and arms the limit; it holds nothing up itself.
    func run() async throws {
        try? await gracefulShutdown()
        // A call that blocks can't be cancelled, and neither can a thread be relied upon then: the kernel keeps the time.
        signal(SIGALRM) { _ in
            let line: StaticString = "What was running did not stop in time; it runs again at the next start.\n"
            // Whoever does not read must not hold this up either.
            var room = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            if poll(&room, 1, 0) == 1 { write(STDERR_FILENO, line.utf8Start, line.utf8CodeUnitCount) }
            _exit(ExitStatus.tryAgain.rawValue)
        }
        alarm(UInt32(clamping: seconds))
    }
}

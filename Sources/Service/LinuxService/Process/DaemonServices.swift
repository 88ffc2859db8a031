import Glibc
package import Logging
package import ServiceLifecycle
import Synchronization
import UnixSignals

/// How the parts of the daemon run together and stop.
package enum DaemonServices {
    /// A group that SIGTERM and SIGINT stop in the reverse order of its services.
    ///
    /// Services still running after `stopSeconds` are cancelled; then `StopLimit` ends the process. If one ends, all stop.
    package static func group(_ services: [any Service], stopSeconds: Int, logger: Logger) -> ServiceGroup {
        var configuration = ServiceGroupConfiguration(
            services: services.map { service in
                .init(
                    service: service, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(stopSeconds)
        return ServiceGroup(configuration: configuration)
    }

    /// Makes writing to a closed connection an error instead of the end of the process; once, at the start.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
        // The parent may have ignored SIGCHLD, which would discard the exit statuses of children.
        signal(SIGCHLD, SIG_DFL)
    }

    /// Lets the process have as many descriptors as the system allows it; each connection takes one.
    package static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Prints to standard output, at once.
    package static func print(_ text: String) {
        Swift.print(text)
        fflush(nil)
    }
}

/// Ends the process if it has not stopped in time, whatever blocks it.
///
/// Acknowledged actions are on disk, and interrupted work runs again at the next start, so only time is lost.
package struct StopLimit: Service {
    /// How long after everything was cancelled it may take to come to an end, in seconds; with the time to stop, less than a unit gives.
    static let graceSeconds = 5

    private let seconds: Int

    /// Makes a limit that counts from the start of the shutdown; it must be the last of its group, which is stopped first.
    package init(stopSeconds: Int) { seconds = stopSeconds + StopLimit.graceSeconds }

    /// Waits for the stop and arms the limit; it holds nothing up itself.
    package func run() async throws {
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

/// Ends the daemon when it is unknown what is on disk.
package final class Fault: Service {
    private let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
    private let failure = Mutex<StartFailure?>(nil)

    package init() {}

    /// What happened, once something has.
    package var known: StartFailure? { failure.withLock { $0 } }

    /// Tells of an unknown outcome; from any thread.
    package func report(_ what: String) {
        failure.withLock { failure in
            failure = StartFailure(
                .inputOutput,
                "It is unknown what is on disk: \(what). What was acknowledged is; the rest is asked again by its key.")
        }
        continuation.yield(what)
    }

    package func run() async throws {
        try await cancelWhenGracefulShutdown {
            for await _ in self.stream {
                if let known = self.known { throw known }
            }
        }
    }
}

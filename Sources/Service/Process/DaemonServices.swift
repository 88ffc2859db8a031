import Glibc
import Logging
import ServiceLifecycle
import UnixSignals

/// How the parts of the daemon run together and stop.
enum DaemonServices {
    /// A group that SIGTERM and SIGINT stop in the reverse order of its services.
    ///
    /// What has not stopped after `stopSeconds` is cancelled, and what does not end then is up to `StopLimit`. When one service ends or fails, all stop.
    static func group(_ services: [any Service], stopSeconds: Int, logger: Logger) -> ServiceGroup {
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
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Lets the process have as many descriptors as the system allows it; each connection takes one.
    static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Prints to standard output, at once.
    static func print(_ text: String) {
        Swift.print(text)
        fflush(nil)
    }
}

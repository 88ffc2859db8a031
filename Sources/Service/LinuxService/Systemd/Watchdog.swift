import ServiceLifecycle

/// Notifies the service manager's watchdog as long as the store responds.
///
/// The probe passes through the store's queue: a daemon with a blocked store is not alive.
package struct Watchdog: Service {
    private let notifier: ServiceNotifier
    private let interval: Duration
    private let pause: @Sendable (Duration) async throws -> Void
    private let probe: @Sendable () async throws -> Void

    /// Takes the interval from WATCHDOG_USEC and probes twice in it; `nil` if the manager does not watch this process.
    /// - Parameters:
    ///   - pid: the process id.
    ///   - pause: waits; throws when cancelled.
    ///   - probe: returns when the store has responded; throws if it never will.
    package init?(
        environment: [String: String], pid: Int32, notifier: ServiceNotifier,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        probe: @escaping @Sendable () async throws -> Void
    ) {
        guard notifier.hasManager, let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0 else {
            return nil
        }
        if let watched = environment["WATCHDOG_PID"], watched != String(pid) { return nil }
        self.notifier = notifier
        interval = .microseconds(microseconds / 2)
        self.pause = pause
        self.probe = probe
    }

    /// Probes and notifies until the daemon stops.
    package func run() async throws {
        try await cancelWhenGracefulShutdown {
            do {
                while !Task.isCancelled {
                    try await probe()
                    notifier.watchdog()
                    try await pause(interval)
                }
            } catch is CancellationError {
                return
            }
        }
    }
}

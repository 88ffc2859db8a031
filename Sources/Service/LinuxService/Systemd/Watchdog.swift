import ServiceLifecycle

/// Tells the service manager that the daemon is alive, as long as a question to its heart is answered.
///
/// The question passes through the store's own queue: a store that hangs is not alive, however well the rest does.
package struct Watchdog: Service {
    private let notifier: ServiceNotifier
    private let interval: Duration
    private let pause: @Sendable (Duration) async throws -> Void
    private let probe: @Sendable () async throws -> Void

    /// Takes the interval from WATCHDOG_USEC and asks twice in it; nil when the manager does not watch this process.
    ///
    /// - Parameters:
    ///   - environment: The environment of the process.
    ///   - pid: The process's own id.
    ///   - notifier: Where the answer goes.
    ///   - pause: Waits; throws when cancelled.
    ///   - probe: Returns when the heart has answered; throws when it never will.
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

    /// Asks and tells until the daemon stops.
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

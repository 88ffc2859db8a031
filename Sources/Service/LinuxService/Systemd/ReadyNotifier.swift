import ServiceLifecycle

/// Announces when the daemon is ready and when it begins to stop.
///
/// It must be the last service of its group, which stops first.
package struct ReadyNotifier: Service {
    private let notifier: ServiceNotifier
    private let startMessage: StartMessage
    private let readiness: @Sendable () async throws -> Void
    private let say: @Sendable (String) -> Void
    private let onReady: @Sendable () -> Void

    /// Combines the condition with the announcement.
    /// - Parameters:
    ///   - startMessage: the message for a person at the terminal; not printed under a service manager.
    ///   - say: prints the message.
    ///   - onReady: called after the announcement.
    ///   - readiness: returns when the log is folded and the socket accepts connections.
    package init(
        notifier: ServiceNotifier, startMessage: StartMessage, say: @escaping @Sendable (String) -> Void,
        onReady: @escaping @Sendable () -> Void = {},
        readiness: @escaping @Sendable () async throws -> Void
    ) {
        self.notifier = notifier
        self.startMessage = startMessage
        self.say = say
        self.onReady = onReady
        self.readiness = readiness
    }

    /// Waits, announces, and waits for the shutdown.
    package func run() async throws {
        do {
            try await cancelWhenGracefulShutdown(readiness)
            if !Task.isShuttingDownGracefully {
                notifier.ready(status: "Serving \(startMessage.socket)")
                if !notifier.hasManager { say(startMessage.text) }
                onReady()
            }
            try await gracefulShutdown()
        } catch is CancellationError {
            // Cancellation is also a stop.
        }
        notifier.stopping(status: "Finishing what was accepted")
    }
}

import ServiceLifecycle

/// Says that the daemon is ready when it is, and that it stops as soon as it is asked to.
///
/// The last of a group's services: they are stopped in the reverse order, so its word is the first of a stop.
package struct ReadyNotifier: Service {
    private let notifier: ServiceNotifier
    private let startMessage: StartMessage
    private let readiness: @Sendable () async throws -> Void
    private let say: @Sendable (String) -> Void
    private let onReady: @Sendable () -> Void

    /// Combines the condition with the announcement.
    ///
    /// - Parameters:
    ///   - notifier: The service manager.
    ///   - startMessage: The message for a person at the terminal; not printed under a service manager.
    ///   - say: Prints the message.
    ///   - onReady: Called after the announcement.
    ///   - readiness: Returns when the log is folded and the socket accepts.
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

    /// Waits, announces, and waits for the stop.
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
            // Cancelled is stopped as well.
        }
        notifier.stopping(status: "Finishing what was accepted")
    }
}

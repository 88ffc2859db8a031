import Glibc
import ServiceLifecycle
import UnixSignals

/// Has the configuration read again at each SIGHUP, and tells the service manager of it.
///
/// The kernel sends the same signal when the terminal goes that the daemon was started on; that stops it.
struct Reloading: Service {
    private let notifier: ServiceNotifier
    private let onTrap: @Sendable () -> Void
    private let ready: @Sendable () async -> Void
    private let reload: @Sendable () -> String
    private let hadTerminal: Bool

    /// Combines whom to tell with what to do.
    ///
    /// - Parameters:
    ///   - notifier: The service manager.
    ///   - onTrap: Called when a signal no longer ends the process; before that nobody is to hear that it is ready.
    ///   - ready: Returns when the daemon can be used; what comes before waits.
    ///   - reload: Reads the configuration again; gives what the daemon is doing, for a person.
    init(
        notifier: ServiceNotifier, onTrap: @escaping @Sendable () -> Void, ready: @escaping @Sendable () async -> Void,
        reload: @escaping @Sendable () -> String
    ) {
        self.notifier = notifier
        self.onTrap = onTrap
        self.ready = ready
        self.reload = reload
        hadTerminal = Self.hasTerminal
    }

    /// Waits for signals until the daemon stops.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            let signals = await UnixSignalsSequence(trapping: .sighup)
            onTrap()
            await ready()
            for await _ in signals {
                if hadTerminal, !Self.hasTerminal {
                    kill(getpid(), SIGTERM)
                    continue
                }
                notifier.reloading()
                notifier.ready(status: reload())
            }
        }
    }

    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }
}

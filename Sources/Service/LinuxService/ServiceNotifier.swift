import Glibc
import ServiceLifecycle

/// Reports the daemon's state to the service manager, if any, by the protocol of sd_notify(3).
package final class ServiceNotifier: Sendable {
    private let address: UnixAddress?
    // Kept open, so that the watchdog works when no descriptor is free.
    private let socket: Descriptor

    var hasManager: Bool { address != nil }

    /// Reads the manager's socket from NOTIFY_SOCKET: a path, or with a leading `@` an abstract name.
    package init(environment: [String: String]) {
        address = environment["NOTIFY_SOCKET"].flatMap { UnixAddress($0) }
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        socket = Descriptor(address == nil ? -1 : Glibc.socket(AF_UNIX, kind, 0))
    }

    /// The daemon serves: after the start, and after each reload.
    package func ready(status: String) { send("READY=1\nSTATUS=\(Self.line(status))") }

    /// The daemon reloads its configuration; ``ready(status:)`` follows.
    package func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        send("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)")
    }

    /// Requests another minute for the start.
    package func extendTimeout(status: String) { send("EXTEND_TIMEOUT_USEC=60000000\nSTATUS=\(Self.line(status))") }

    package func watchdog() { send("WATCHDOG=1") }

    package func stopping(status: String) { send("STOPPING=1\nSTATUS=\(Self.line(status))") }

    private func send(_ message: String) {
        // A manager that does not read must not block the daemon; a message may get lost.
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        _ = address?.withSystemAddress { sendto(socket.number, message, message.utf8.count, flags, $0, $1) }
    }

    // A line break would begin another assignment.
    private static func line(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }) }
}

/// The progress of a long fold, at most once a second, so that the service manager lets it finish.
package struct FoldProgress: Sendable {
    private let last: UInt64
    private var told: ContinuousClock.Instant

    package init(last: UInt64, now: ContinuousClock.Instant) {
        self.last = last
        told = now
    }

    /// The progress after a sequence was folded; `nil` if the last one is less than a second old.
    package mutating func line(after sequence: UInt64, now: ContinuousClock.Instant) -> String? {
        guard now - told >= .seconds(1) else { return nil }
        told = now
        // Divide first, to avoid an overflow.
        let percent = last < 100 ? 100 : min(sequence / (last / 100), 100)
        return "Folding the log: \(sequence) of \(last) (\(percent) %)"
    }
}

/// Announces when the daemon is ready and when it begins to stop; the last service of its group, which stops first.
package struct ReadyNotifier: Service {
    private let notifier: ServiceNotifier
    private let startMessage: StartMessage
    private let readiness: @Sendable () async throws -> Void
    private let say: @Sendable (String) -> Void
    private let onReady: @Sendable () -> Void

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
        notifier.stopping(status: "Finishing accepted calls")
    }
}

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

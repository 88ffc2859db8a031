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

    package func ready(status: String) { send("READY=1\nSTATUS=\(Self.line(status))") }

    /// The daemon reloads its configuration; ``ready(status:)`` follows.
    package func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        send("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)")
    }

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

extension ServiceNotifier {
    /// Announces when the daemon is ready and when it begins to stop.
    /// - Parameters:
    ///   - say: prints the message, if there is no service manager.
    ///   - readiness: returns when the log is folded and the socket accepts connections.
    package func announce(
        _ message: StartMessage, say: (String) -> Void, onReady: () -> Void = {},
        when readiness: @escaping @Sendable () async throws -> Void
    ) async throws {
        do {
            try await cancelWhenGracefulShutdown(readiness)
            if !Task.isShuttingDownGracefully {
                ready(status: "Serving \(message.socket)")
                if !hasManager { say(message.text) }
                onReady()
            }
            try await gracefulShutdown()
        } catch is CancellationError {
            // Cancellation is also a stop.
        }
        stopping(status: "Finishing accepted calls")
    }

    /// The interval of the watchdog, half of WATCHDOG_USEC; `nil` if the manager does not watch this process.
    package func watchdogInterval(environment: [String: String], pid: Int32) -> Duration? {
        guard hasManager, environment["WATCHDOG_PID"].map({ $0 == String(pid) }) ?? true,
            let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0
        else { return nil }
        return .microseconds(microseconds / 2)
    }

    /// Notifies the manager's watchdog after each successful probe.
    /// - Parameters:
    ///   - pause: waits; throws when cancelled.
    ///   - probe: passes through the store's queue, because a daemon with a blocked store is not alive; throws if that never responds.
    package func watch(
        every interval: Duration, pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        probe: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await cancelWhenGracefulShutdown {
            do {
                while !Task.isCancelled {
                    try await probe()
                    self.watchdog()
                    try await pause(interval)
                }
            } catch is CancellationError {
                return
            }
        }
    }
}

/// The message of a daemon started at a terminal, when it is ready.
package struct StartMessage: Sendable, Equatable {
    package var name: String
    package var firstTries: [String]
    package var socket: String
    /// The client as a person can call it: `todoctl`, with its directory if it lies beside the daemon.
    package var client: String
    /// Whether the client finds the socket by default.
    var isUsual: Bool

    package init(_ program: Program, socket: String, usualSockets: [String], path: String, exists: (String) -> Bool) {
        name = program.name
        firstTries = program.firstTries
        self.socket = socket
        isUsual = usualSockets.first { $0 == socket || exists($0) } == socket
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        client = !directory.isEmpty && exists("\(directory)todoctl") ? "\(directory)todoctl" : "todoctl"
    }

    package var text: String {
        let client = ShellWord.text(of: client) + (isUsual ? "" : " --socket \(ShellWord.text(of: socket))")
        return "\(name) listens on \(socket)\nTry in another terminal:" + firstTries.map { "\n  \(client) \($0)" }.joined()
    }
}

package enum ShellWord {
    package static func text(of word: String) -> String {
        guard word.isEmpty || !word.utf8.allSatisfy({ plain.contains($0) }) else { return word }
        let parts = word.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: #"'\''"#) + "'"
    }

    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%".utf8)
}

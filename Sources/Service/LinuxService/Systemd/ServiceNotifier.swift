import Glibc

/// Reports the daemon's state to the service manager, if any, by the protocol of sd_notify(3).
package final class ServiceNotifier: Sendable {
    private let address: UnixAddress?
    // Kept open, so that the watchdog works when no descriptor is free.
    private let socket: Descriptor

    /// Whether there is a service manager.
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

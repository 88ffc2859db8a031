import Glibc

/// Tells the service manager how the daemon is doing, by the protocol of sd_notify(3).
///
/// Where there is no manager everything is silently dropped: a daemon must not depend on being watched.
struct ServiceNotifier: Sendable {
    private let socket: NotificationSocket?

    /// Whether somebody listens.
    var hasManager: Bool { socket != nil }

    /// Takes the manager's socket from NOTIFY_SOCKET: a path, or with a leading `@` an abstract name.
    init(environment: [String: String]) {
        socket = environment["NOTIFY_SOCKET"].flatMap { UnixAddress($0) }.flatMap { NotificationSocket($0) }
    }

    /// The daemon can be used; said once, after the fold and when the socket accepts.
    func ready(status: String) {
        send("READY=1\nSTATUS=\(Self.line(status))")
    }

    /// It reads its configuration again; ``ready(status:)`` tells that it has.
    func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        send("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)")
    }

    /// What it is doing, for a person.
    func status(_ text: String) {
        send("STATUS=\(Self.line(text))")
    }

    /// It needs more time for its start or stop, from now, and is still doing something.
    func extendTimeout(by duration: Duration, status: String) {
        send("EXTEND_TIMEOUT_USEC=\(duration.microseconds)\nSTATUS=\(Self.line(status))")
    }

    /// It is alive.
    func watchdog() {
        send("WATCHDOG=1")
    }

    /// It has begun to stop.
    func stopping(status: String) {
        send("STOPPING=1\nSTATUS=\(Self.line(status))")
    }

    private func send(_ message: String) {
        socket?.send(message)
    }

    // A line break would begin another assignment.
    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}

extension Duration {
    /// Whole microseconds, rounded down.
    var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

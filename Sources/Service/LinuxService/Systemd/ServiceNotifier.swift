import Glibc

/// Tells the service manager how the daemon is doing, by the protocol of sd_notify(3).
///
/// Where there is no manager everything is silently dropped: a daemon must not depend on being watched.
package struct ServiceNotifier: Sendable {
    private let socket: NotificationSocket?

    /// Whether somebody listens.
    var hasManager: Bool { socket != nil }

    /// Takes the manager's socket from NOTIFY_SOCKET: a path, or with a leading `@` an abstract name.
    package init(environment: [String: String]) {
        socket = environment["NOTIFY_SOCKET"].flatMap { UnixAddress($0) }.flatMap { NotificationSocket($0) }
    }

    /// The daemon can be used; said once, after the fold and when the socket accepts.
    package func ready(status: String) {
        send("READY=1\nSTATUS=\(Self.line(status))")
    }

    /// It reads its configuration again; ``ready(status:)`` tells that it has.
    package func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        send("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)")
    }

    /// It needs more time for its start or stop, from now, and is still doing something.
    package func extendTimeout(by duration: Duration, status: String) {
        send("EXTEND_TIMEOUT_USEC=\(duration.microseconds)\nSTATUS=\(Self.line(status))")
    }

    /// It is alive.
    package func watchdog() {
        send("WATCHDOG=1")
    }

    /// It has begun to stop.
    package func stopping(status: String) {
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
    package var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

/// Tells how far a long fold is, at most once a second, so that the service manager lets it finish.
package struct FoldProgress: Sendable {
    /// The time that each word of progress asks for.
    package static let extensionPerLine = Duration.seconds(60)

    private let last: UInt64
    private var told: ContinuousClock.Instant

    /// Begins a fold that ends at a sequence.
    package init(last: UInt64, now: ContinuousClock.Instant) {
        self.last = last
        told = now
    }

    /// What to say after a sequence was folded; nil when the last word is less than a second old.
    package mutating func line(after sequence: UInt64, now: ContinuousClock.Instant) -> String? {
        guard now - told >= .seconds(1) else { return nil }
        told = now
        // In hundredths first, so that a log of any length keeps within the numbers.
        let percent = last < 100 ? 100 : min(sequence / (last / 100), 100)
        return "Folding the log: \(sequence) of \(last) (\(percent) %)"
    }
}

/// A datagram socket to one address, for messages that may get lost.
package final class NotificationSocket: Sendable {
    private let descriptor: Descriptor
    private let address: UnixAddress

    init?(_ address: UnixAddress) {
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return nil }
        descriptor = Descriptor(number)
        self.address = address
    }

    /// Sends one message; false when the other side can't take it now or at all.
    @discardableResult
    func send(_ message: String) -> Bool {
        send(Array(message.utf8))
    }

    /// Sends one message; false when the other side can't take it now or at all.
    @discardableResult
    func send(_ message: [UInt8]) -> Bool {
        address.withSystemAddress { address, length in
            while true {
                // Never waits: a manager or a journal that is stuck must not hold up the daemon.
                let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                let count = sendto(descriptor.number, message, message.count, flags, address, length)
                if count < 0, errno == EINTR { continue }
                return count == message.count
            }
        }
    }
}

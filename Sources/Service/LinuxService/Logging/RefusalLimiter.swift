import Glibc
package import Logging
import Synchronization

/// Counts refused calls, and says so in one line when there are many, at most every 10 seconds.
///
/// A client in a loop is refused as often as it likes; the journal hears of it, but is not filled by it.
package struct RefusalLimiter: Sendable {
    /// The time that one line stands for.
    static let window = Duration.seconds(10)

    /// Whether there are many now.
    package var isExceeded: Bool { count > callsMax }

    private let callsMax: Int
    private var count = 0
    private var began: ContinuousClock.Instant?
    private var told: ContinuousClock.Instant?

    /// Logs nothing until more than `callsMax` calls are refused within 10 seconds.
    package init(callsMax: Int = 100) {
        self.callsMax = callsMax
    }

    /// Counts a refused call and returns the line to log, if one is due.
    ///
    /// - Parameters:
    ///   - name: The name of the refusal.
    ///   - uid: The uid of the refused client.
    ///   - now: The time of the refusal.
    package mutating func line(refusing name: String, uid: UInt32, now: ContinuousClock.Instant) -> String? {
        if let began, now - began < Self.window {
            count += 1
        } else {
            began = now
            count = 1
        }
        guard count > callsMax else { return nil }
        if let told, now - told < Self.window { return nil }
        told = now
        return "More than \(callsMax) calls were refused within 10 s, the last of uid \(uid) with \(name)"
    }
}

/// Takes note of refused calls: many of them are worth a line of logging, one is not.
package final class Refusals: Sendable {
    private let logger: Logger
    private let limiter = Mutex(RefusalLimiter())

    package init(_ logger: Logger) { self.logger = logger }

    /// Takes note of one, from any thread.
    package func note(_ name: String, from uid: UInt32) {
        let line = limiter.withLock { $0.line(refusing: name, uid: uid, now: .now) }
        if let line { logger.warning("\(line)") }
    }

    /// Logs that connections are refused because `accept` failed.
    package func noteDescriptorShortage(errno: Int32) {
        logger.error(
            "No file descriptor is free: new connections are refused; raise LimitNOFILE or lower TODOD_CONNECTIONS_MAX",
            metadata: ["error": "\(String(cString: strerror(errno)))"])
    }
}

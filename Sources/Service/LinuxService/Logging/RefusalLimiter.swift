import Glibc
package import Logging
import Synchronization

/// Counts refused calls and logs one line if there are many, at most every 10 seconds.
package struct RefusalLimiter: Sendable {
    /// The interval of one line.
    static let window = Duration.seconds(10)

    /// Whether the limit is exceeded.
    package var isExceeded: Bool { count > callsMax }

    private let callsMax: Int
    private var count = 0
    private var began: ContinuousClock.Instant?
    private var told: ContinuousClock.Instant?

    /// Logs nothing until more than `callsMax` calls are refused within 10 seconds.
    package init(callsMax: Int = 100) { self.callsMax = callsMax }

    /// Counts a refused call and returns the line to log, if one is due.
    /// - Parameter uid: the uid of the refused client.
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

/// Logs refused calls if there are many.
package final class Refusals: Sendable {
    private let logger: Logger
    private let limiter = Mutex(RefusalLimiter())

    package init(_ logger: Logger) { self.logger = logger }

    /// Counts a refused call, from any thread.
    package func note(_ name: String, from uid: UInt32) {
        let line = limiter.withLock { $0.line(refusing: name, uid: uid, now: .now) }
        if let line { logger.warning("\(line)") }
    }

    /// Logs that connections are refused because `accept` failed.
    package func noteDescriptorShortage(errno: Int32) {
        logger.error(
            "No file descriptor is free: new connections are refused; raise LimitNOFILE or lower CONNECTIONS_MAX",
            metadata: ["error": "\(String(cString: strerror(errno)))"])
    }
}

import Logging
import Synchronization

/// Takes note of refused calls: many of them are worth a line of logging, one is not.
final class Refusals: Sendable {
    private let logger: Logger
    private let storm = Mutex(RefusalStorm())

    init(_ logger: Logger) { self.logger = logger }

    /// Takes note of one, from any thread.
    func note(_ name: String, from uid: UInt32) {
        let line = storm.withLock { $0.line(refusing: name, uid: uid, now: .now) }
        if let line { logger.warning("\(line)") }
    }
}

import ActionLogs
import Synchronization

/// What the daemon knows of itself beside the store.
final class DaemonFacts: Sendable {
    enum Mode: String, Sendable {
        case normal
        case inspect
        case ephemeral
    }

    let version: String
    let mode: Mode
    /// When it was ready, in microseconds since 1970.
    let started: Int64
    /// The log's bytes at that moment.
    let logBytesAtStart: UInt64
    /// Where the log is damaged, when it was opened for looking at.
    let damage: ActionLogError?
    let subscribers = Atomic<Int>(0)

    init(version: String, mode: Mode, started: Int64, logBytesAtStart: UInt64, damage: ActionLogError?) {
        self.version = version
        self.mode = mode
        self.started = started
        self.logBytesAtStart = logBytesAtStart
        self.damage = damage
    }
}

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
    let subscribers = Atomic<Int>(0)

    init(version: String, mode: Mode, started: Int64, logBytesAtStart: UInt64) {
        self.version = version
        self.mode = mode
        self.started = started
        self.logBytesAtStart = logBytesAtStart
    }
}

package import Logging
import Synchronization

/// Writes each message with its metadata as one line.
package struct DaemonLogHandler: LogHandler {
    /// Metadata of every line.
    package var metadata: Logger.Metadata = [:]
    /// The lowest level that is written: the daemon's threshold, unless this logger has its own level.
    package var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }

    let output: LogOutput
    let threshold: LogThreshold
    var ownLevel: Logger.Level?

    /// Makes this the handler of every logger; call it once, at the start.
    package static func bootstrap(output: LogOutput, threshold: LogThreshold) {
        LoggingSystem.bootstrap { _ in DaemonLogHandler(output: output, threshold: threshold) }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var metadata = metadata
        if let given = event.metadata { metadata.merge(given) { _, new in new } }
        if let error = event.error { metadata["error"] = .string(String(describing: error)) }
        let fields = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(LogLine.quoted($0.value.description))" }
        output.log(event.level, event.message.description + fields.joined())
    }
}

/// The lowest level that is logged; can be changed while the daemon runs.
package final class LogThreshold: Sendable {
    private let current: Mutex<Logger.Level>

    package init(_ level: Logger.Level) { current = Mutex(level) }

    package var level: Logger.Level {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}

package import Logging
import Synchronization

/// Writes each line of logging for a person, or into the journal with its metadata as fields.
package struct DaemonLogHandler: LogHandler {
    /// What is written with every line.
    package var metadata: Logger.Metadata = [:]
    /// The least grave lines that are written: those of the daemon's threshold, unless this logger got a level of its own.
    package var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }
    /// Adds what the task knows to each line.
    package var metadataProvider: Logger.MetadataProvider?

    let label: String
    let output: LogOutput
    let threshold: LogThreshold
    /// The level that this logger got for itself.
    var ownLevel: Logger.Level?

    /// Makes this the handler of every logger; once, at the start.
    package static func bootstrap(output: LogOutput, threshold: LogThreshold) {
        LoggingSystem.bootstrap { DaemonLogHandler(label: $0, output: output, threshold: threshold) }
    }

    /// One entry of the metadata.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one line.
    package func log(event: LogEvent) {
        var metadata = metadata
        if let provided = metadataProvider?.get() { metadata.merge(provided) { _, new in new } }
        if let given = event.metadata { metadata.merge(given) { _, new in new } }
        if let error = event.error { metadata["error"] = .string(String(describing: error)) }
        let kind = metadata.removeValue(forKey: JournalKind.metadataKey)
        let fields = metadata.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value.description) }
        let text = LogLine.text(event.message.description, fields)
        switch output.form {
        case .plain:
            output.write("\(output.program): \(Self.mark(event.level))\(text)")
        case .prefixed:
            output.write("<\(LogLine.priority(event.level))>\(text)")
        case .journal(let journal):
            var entry = JournalEntry()
            entry.add("MESSAGE", text)
            entry.add("PRIORITY", String(LogLine.priority(event.level)))
            entry.add("SYSLOG_IDENTIFIER", output.program)
            entry.add("LOGGER", label)
            if let kind { entry.add("MESSAGE_ID", kind.description) }
            for field in fields { entry.add(JournalEntry.fieldName(field.name, of: output.program), field.value) }
            if !journal.send(entry.bytes) { output.write("<\(LogLine.priority(event.level))>\(text)") }
        }
    }

    private static func mark(_ level: Logger.Level) -> String {
        switch level {
        case .info, .notice: ""
        default: "\(level.rawValue): "
        }
    }
}

/// The least grave level that is logged; can be changed while the daemon runs.
package final class LogThreshold: Sendable {
    private let index: Atomic<Int>

    /// Begins with a level.
    package init(_ level: Logger.Level) { index = Atomic(Self.index(of: level)) }

    /// The level in force.
    package var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }
}

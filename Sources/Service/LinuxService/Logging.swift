import Dispatch
import Glibc
package import Logging
import Synchronization

package struct DaemonLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    /// The lowest level that is written: the daemon's threshold, unless this logger has its own level.
    package var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }

    let output: LogOutput
    let threshold: LogThreshold
    var ownLevel: Logger.Level?

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

enum LogLine {
    /// Two thirds of journald's `LineMax`.
    static let bytesMax = 32 << 10

    /// The text with control characters escaped as `\u{1b}`, so that it stays one line and can't control a terminal.
    ///
    /// The journal splits a longer line, and would parse a level at the beginning of each piece.
    static func shown(_ text: String) -> String {
        var shown = text
        if text.unicodeScalars.contains(where: isControl) {
            shown = text.unicodeScalars.map { isControl($0) ? "\\u{\(String($0.value, radix: 16))}" : String($0) }.joined()
        }
        guard shown.utf8.count > bytesMax else { return shown }
        return String(decoding: shown.utf8.prefix(bytesMax), as: UTF8.self) + "…"
    }

    static func quoted(_ value: String) -> String {
        // Without quotes, a value could look like further fields.
        guard value.isEmpty || value.utf8.contains(where: { " =\"\\".utf8.contains($0) }) else { return value }
        let escaped = value.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }
        return "\"\(escaped.joined())\""
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // The format characters include those that change the direction of writing.
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// Writes log lines to standard error on a separate thread, so that a caller never waits for a reader.
///
/// If standard error is the journal, each line begins with its level as `<N>`, see sd-daemon(3).
package final class LogOutput: Sendable {
    /// Maximum bytes of lines that wait to be written; further lines are dropped and counted.
    static let waitingBytesMax = 256 << 10

    private struct Waiting {
        var bytes = 0
        var dropped = 0
    }

    private let program: String
    private let descriptor: Int32
    private let isJournal: Bool
    private let waiting = Mutex(Waiting())
    private let queue = DispatchQueue(label: "log", qos: .default)

    package init(program: String, environment: [String: String], descriptor: Int32 = STDERR_FILENO) {
        var status = stat()
        // A process whose standard error was redirected still inherits JOURNAL_STREAM.
        isJournal = fstat(descriptor, &status) == 0 && environment["JOURNAL_STREAM"] == "\(status.st_dev):\(status.st_ino)"
        (self.program, self.descriptor) = (program, descriptor)
    }

    package func log(_ level: Logger.Level, _ text: String) { write(line(level, text)) }

    /// Reports why the daemon can't continue, before or after logging is set up; may have several lines.
    package func complain(_ failure: StartFailure) {
        for line in failure.message.split(separator: "\n") { write(mark(.error) + LogLine.shown(String(line)) + "\n") }
    }

    /// Waits until all lines are written, for at most a second; call it at the end of the process.
    package func drain() {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + 1)
    }

    private func write(_ line: String) {
        let count = line.utf8.count
        let hasRoom = waiting.withLock { waiting in
            let hasRoom = waiting.bytes + count <= Self.waitingBytesMax
            if hasRoom { waiting.bytes += count } else { waiting.dropped += 1 }
            return hasRoom
        }
        guard hasRoom else { return }
        queue.async { [self] in
            writeOut(Array(line.utf8))
            let dropped = waiting.withLock { waiting in
                waiting.bytes -= count
                // The dropped lines came after the queued ones.
                guard waiting.bytes == 0 else { return 0 }
                defer { waiting.dropped = 0 }
                return waiting.dropped
            }
            guard dropped > 0 else { return }
            let lines = dropped == 1 ? "line was" : "lines were"
            writeOut(Array(self.line(.warning, "\(dropped) \(lines) dropped, because earlier lines were not read").utf8))
        }
    }

    private func line(_ level: Logger.Level, _ text: String) -> String {
        let hasNoName = isJournal || level == .info || level == .notice
        return mark(level) + (hasNoName ? "" : "\(level.rawValue): ") + LogLine.shown(text) + "\n"
    }

    private func mark(_ level: Logger.Level) -> String {
        guard isJournal else { return "\(program): " }
        return switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
        }
    }

    /// Writes bytes; on an error they are lost, because there is nowhere else to report it.
    private func writeOut(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Another process made it non-blocking; this thread may wait.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
                continue
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// Counts refused calls and logs one line if there are many, at most every 10 seconds.
package struct RefusalLimiter: Sendable {
    static let window = Duration.seconds(10)

    package var isExceeded: Bool { count > callsMax }

    private let callsMax: Int
    private var count = 0
    private var began: ContinuousClock.Instant?
    private var told: ContinuousClock.Instant?

    /// Logs nothing until more than `callsMax` calls are refused within 10 seconds.
    package init(callsMax: Int = 100) { self.callsMax = callsMax }

    /// Counts a refused call of a uid; returns the line to log, if one is due.
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

package final class Refusals: Sendable {
    private let logger: Logger
    private let limiter = Mutex(RefusalLimiter())

    package init(_ logger: Logger) { self.logger = logger }

    package func note(_ name: String, from uid: UInt32) {
        let line = limiter.withLock { $0.line(refusing: name, uid: uid, now: .now) }
        if let line { logger.warning("\(line)") }
    }

    package func noteDescriptorShortage(errno: Int32) {
        logger.error(
            "No file descriptor is free: new connections are refused; raise LimitNOFILE or lower CONNECTIONS_MAX",
            metadata: ["error": "\(String(cString: strerror(errno)))"])
    }
}

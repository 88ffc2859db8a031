import Dispatch
import Glibc
package import Logging
import Synchronization

/// Writes log lines to standard error on a separate thread, so that a caller never waits for a reader.
///
/// If standard error is the journal, each line begins with its level as `<N>`, see sd-daemon(3).
package final class LogOutput: Sendable {
    /// Maximum bytes of waiting lines; further lines are dropped and counted.
    static let waitingBytesMax = 256 << 10

    private struct Waiting {
        var bytes: [UInt8] = []
        var dropped = 0
        var isBeingWritten = false
    }

    private let program: String
    private let descriptor: Int32
    private let isJournal: Bool
    private let waiting = Mutex(Waiting())
    private let thread = DispatchQueue(label: "log", qos: .default)

    package init(program: String, environment: [String: String], descriptor: Int32 = STDERR_FILENO) {
        var status = stat()
        // A process whose standard error was redirected still inherits JOURNAL_STREAM.
        isJournal = fstat(descriptor, &status) == 0 && environment["JOURNAL_STREAM"] == "\(status.st_dev):\(status.st_ino)"
        (self.program, self.descriptor) = (program, descriptor)
    }

    /// Queues one line.
    package func log(_ level: Logger.Level, _ text: String) { write(line(level, text)) }

    private func write(_ line: String) {
        let mustStart = waiting.withLock { waiting in
            guard waiting.bytes.count + line.utf8.count <= Self.waitingBytesMax else {
                waiting.dropped += 1
                return false
            }
            waiting.bytes += line.utf8
            defer { waiting.isBeingWritten = true }
            return !waiting.isBeingWritten
        }
        if mustStart { thread.async { self.writeWaiting() } }
    }

    /// Reports why the daemon can't continue, before or after logging is set up; may have several lines.
    package func complain(_ failure: StartFailure) {
        for line in failure.message.split(separator: "\n") { write(mark(.error) + LogLine.shown(String(line)) + "\n") }
    }

    /// Waits until all lines are written, for at most a second; call it at the end of the process.
    package func drain() {
        let done = DispatchSemaphore(value: 0)
        thread.async { done.signal() }
        _ = done.wait(timeout: .now() + 1)
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

    private func writeWaiting() {
        while let bytes = next() { writeOut(bytes) }
    }

    private func next() -> [UInt8]? {
        waiting.withLock { waiting in
            guard !waiting.bytes.isEmpty || waiting.dropped > 0 else {
                waiting.isBeingWritten = false
                return nil
            }
            var bytes = waiting.bytes
            // The dropped lines came after the queued ones.
            if waiting.dropped > 0 {
                let lines = waiting.dropped == 1 ? "line of logging was" : "lines of logging were"
                bytes += line(.warning, "\(waiting.dropped) \(lines) dropped, because nobody read those before them").utf8
            }
            waiting.bytes = []
            waiting.dropped = 0
            return bytes
        }
    }

    /// Writes bytes; on an error they are lost, because there is nowhere else to report it.
    private func writeOut(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Another process made it non-blocking; this thread may wait.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
                continue
            }
            guard count > 0 else { return }
            start += count
        }
    }
}

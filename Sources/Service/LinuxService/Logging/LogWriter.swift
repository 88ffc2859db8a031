import Dispatch
import Glibc
import Synchronization

/// Writes lines on a thread of its own: whoever logs never waits for whoever reads.
final class LogWriter: Sendable {
    /// Bytes of lines that wait to be written; a line that finds no room is dropped and counted.
    static let waitingBytesMax = 256 << 10

    private struct Waiting {
        var bytes: [UInt8] = []
        var dropped = 0
        var isBeingWritten = false
    }

    private let descriptor: Int32
    private let waiting = Mutex(Waiting())
    private let droppedLine: @Sendable (Int) -> String
    private let thread = DispatchQueue(label: "log", qos: .default)

    /// Takes the descriptor, which stays the caller's, and the line that tells how many were dropped.
    init(descriptor: Int32, droppedLine: @escaping @Sendable (Int) -> String) {
        self.descriptor = descriptor
        self.droppedLine = droppedLine
    }

    /// Has a line written, after those that wait.
    func write(_ line: String) {
        let mustStart = waiting.withLock { waiting in
            guard waiting.bytes.count + line.utf8.count < Self.waitingBytesMax else {
                waiting.dropped += 1
                return false
            }
            waiting.bytes += line.utf8
            waiting.bytes.append(0x0A)
            defer { waiting.isBeingWritten = true }
            return !waiting.isBeingWritten
        }
        if mustStart { thread.async { self.writeWaiting() } }
    }

    /// Waits until everything is written, at most so long: at the end of the process nobody writes the rest.
    func drain(atMost seconds: Int) {
        let done = DispatchSemaphore(value: 0)
        thread.async { done.signal() }
        _ = done.wait(timeout: .now() + .seconds(seconds))
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
            // What was dropped came after what had found room.
            if waiting.dropped > 0 { bytes += (droppedLine(waiting.dropped) + "\n").utf8 }
            waiting.bytes = []
            waiting.dropped = 0
            return bytes
        }
    }

    /// Writes bytes; what can't be written is dropped, for there is nobody left to tell.
    private func writeOut(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Somebody else made it non-blocking; to wait is what this thread is for.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
                continue
            }
            guard count > 0 else { return }
            start += count
        }
    }
}

import CLoad
import Foundation

/// Connections that each made one call, or several at once, and read what comes, or never.
final class Readers {
    enum Habit {
        case neverReads, reads
        /// Reads the first bytes, closes the connection and subscribes again.
        case subscribesAgain
    }

    private let readers: OpaquePointer

    init(_ count: Int, _ frames: String, _ habit: Habit = .reads, on socket: String) throws(BenchmarkError) {
        var code: Int32 = 0
        let bytes = Array(frames.utf8)
        guard
            let readers = cload_readers_start(
                socket, UInt32(count), bytes.map { CChar(bitPattern: $0) }, bytes.count,
                habit == .neverReads ? 0 : habit == .reads ? 1 : 2, &code)
        else { throw BenchmarkError("\(count) connections to \(socket): \(String(cString: strerror(code)))") }
        self.readers = readers
    }

    deinit { cload_readers_end(readers) }

    /// How many frames have come.
    var frames: Int { Int(cload_readers_frames(readers)) }

    /// Waits until so many frames have come, at most half a minute.
    func wait(for count: Int) throws(BenchmarkError) {
        let end = cload_now() + 30_000_000_000
        while frames < count {
            guard cload_now() < end else { throw BenchmarkError("\(frames) frames came, not \(count)") }
            usleep(1000)
        }
    }
}

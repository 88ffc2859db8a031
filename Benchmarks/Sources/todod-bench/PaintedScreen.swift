import CLoad
import Foundation

/// `todoctl screen` on a terminal of 80 columns and 24 rows, of which it is read what it paints.
final class PaintedScreen {
    /// How long nothing must come before an answer counts as whole, in nanoseconds.
    private static let quiet: UInt64 = 30_000_000
    /// How long an answer is waited for, in nanoseconds.
    private static let patience: UInt64 = 10_000_000_000

    private let process: Int32
    private let terminal: Int32
    private(set) var painted = PaintedText(columns: 80, rows: 24)
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Starts one, and waits until it shows the todos.
    init(_ setup: Setup, socket: String) throws(BenchmarkError) {
        var program = Program([setup.todoctl, "screen"], socket: socket, output: setup.folder.sockets.appending(path: "screen"))
        program.environment["TERM"] = "xterm-256color"
        (process, terminal) = try program.start(columns: 80, rows: 24)
        guard try wait({ $0.line(0).contains("LIVE") && $0.line(0).contains(" open") }) != nil else {
            throw BenchmarkError("todoctl screen shows no todos: \(painted.line(0))")
        }
        try settle()
    }

    deinit {
        var status: Int32 = 0
        kill(process, SIGKILL)
        _ = cload_wait(process, 5_000_000_000, &status)
        close(terminal)
    }

    /// What a key brought.
    struct Answer {
        /// From the key to the last byte of what it brought.
        var milliseconds: Double
        var bytes: Int
    }

    /// Presses keys, and gives all that comes until nothing more does.
    func press(_ keys: String) throws(BenchmarkError) -> Answer {
        let start = cload_now()
        try type(keys)
        return try answer(since: start)
    }

    /// Waits until nothing more comes.
    func settle() throws(BenchmarkError) {
        while try read(within: 10 * Self.quiet) > 0 {}
    }

    /// Presses keys, and waits until what is painted is as it should be; the answer is in milliseconds.
    func press(_ keys: String, until isWanted: (PaintedText) -> Bool) throws(BenchmarkError) -> Double {
        let start = cload_now()
        try type(keys)
        guard let end = try wait(isWanted) else { throw BenchmarkError("the screen stays at: \(painted.line(0))") }
        return Double(end - start) / 1e6
    }

    /// Holds a key for some time, and gives which moments of the past were painted meanwhile.
    func hold(_ key: String, every pause: UInt64, for nanoseconds: UInt64) throws(BenchmarkError) -> Set<UInt64> {
        var moments: Set<UInt64> = []
        let start = cload_now()
        var next = start
        while case let now = cload_now(), now < start + nanoseconds {
            if now >= next {
                try type(key)
                next += pause
                continue
            }
            if try read(within: next - now) > 0, let moment { moments.insert(moment) }
        }
        return moments
    }

    /// The moment of the past that is painted, once its record and so its todos are there; `nil` if it is none.
    var moment: UInt64? {
        let line = painted.line(0)
        guard let place = line.range(of: "PAST @") else { return nil }
        let words = line[place.upperBound...].split(separator: " ")
        return words.count > 1 ? words.first.flatMap { UInt64($0) } : nil
    }

    /// A line of /proc/PID/status in megabytes of 10^6.
    func memory(_ name: String) throws(BenchmarkError) -> Double { try ProcessMemory.megabytes(of: process, name) }

    private func type(_ keys: String) throws(BenchmarkError) {
        let bytes = Array(keys.utf8)
        guard write(terminal, bytes, bytes.count) == bytes.count else { throw BenchmarkError("the screen takes no keys") }
    }

    private func answer(since start: UInt64) throws(BenchmarkError) -> Answer {
        var answer = Answer(milliseconds: .nan, bytes: 0)
        while true {
            let count = try read(within: answer.bytes == 0 ? Self.patience : Self.quiet)
            guard count > 0 else { return answer }
            answer.milliseconds = Double(cload_now() - start) / 1e6
            answer.bytes += count
        }
    }

    private func wait(_ isWanted: (PaintedText) -> Bool) throws(BenchmarkError) -> UInt64? {
        let start = cload_now()
        while cload_now() - start < Self.patience {
            if isWanted(painted) { return cload_now() }
            _ = try read(within: Self.quiet)
        }
        return nil
    }

    private func read(within nanoseconds: UInt64) throws(BenchmarkError) -> Int {
        let count = cload_read_within(terminal, &buffer, buffer.count, nanoseconds)
        guard count >= 0 else { throw BenchmarkError("todoctl screen has ended: \(painted.rows.map { String($0) })") }
        painted.take(buffer[..<count])
        return count
    }
}

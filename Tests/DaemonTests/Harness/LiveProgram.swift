import Foundation
import Glibc
import ProcessTesting

/// A program that goes on until it is ended, whose lines are read as they come.
final class LiveProgram {
    private let process: ChildProcess
    private let channel: Channel
    private var bytes: [UInt8] = []

    /// Starts it; what it says on standard error is lost, unless it is wanted among the lines.
    init(_ command: [String], environment: [String: String], withErrors: Bool = false) throws {
        channel = try Channel()
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(null) }
        process = try ChildProcess(
            command, environment: Command.environment.merging(environment) { $1 }, output: channel.theirs,
            error: withErrors ? channel.theirs : null)
        close(channel.theirs)
    }

    deinit {
        process.signal(SIGKILL)
        _ = try? process.wait(seconds: 10)
        close(channel.ours)
    }

    /// The next line, without its end; nil when none has come within the time, or none comes any more.
    func line(seconds: Double = 60) throws -> String? {
        let deadline = Deadline(seconds: seconds)
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeFirst(end + 1) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            guard try deadline.awaitReadable(channel.ours) else { return nil }
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = read(channel.ours, &piece, piece.count)
            guard count > 0 else { return nil }
            bytes += piece[..<count]
        }
    }

    /// Sends it a signal.
    func signal(_ number: Int32) { process.signal(number) }

    /// How it ended, if it has within the time.
    func end(seconds: Double = 30) throws -> ChildProcess.End? { try process.wait(seconds: seconds) }

    /// What it has of memory that belongs to no file, in KiB.
    func anonymousKiB() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        return line.split(separator: " ").compactMap { Int($0) }.first ?? -1
    }

    /// The lines up to the first with a text, that one included.
    func lines(through wanted: String) throws -> [String] {
        var lines: [String] = []
        while let line = try line() {
            lines.append(line)
            if line.contains(wanted) { return lines }
        }
        return lines
    }
}

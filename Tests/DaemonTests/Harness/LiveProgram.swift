import Foundation
import Glibc
import ProcessTesting

/// A program that runs until it is stopped and whose lines are read as they arrive.
final class LiveProgram {
    private let process: ChildProcess
    private let channel: Channel
    private var bytes: [UInt8] = []

    /// Starts the program.
    ///
    /// Standard error is discarded, or is part of the lines.
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

    /// The next line without its end, or nil after a timeout or at the end of the output.
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

    func signal(_ number: Int32) { process.signal(number) }

    /// How the program ended, or nil if it still runs when the time is over.
    func end(seconds: Double = 30) throws -> ChildProcess.End? { try process.wait(seconds: seconds) }

    /// Its anonymous memory in KiB.
    func anonymousKiB() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        return line.split(separator: " ").compactMap { Int($0) }.first ?? -1
    }

    /// The lines up to and including the first one with a text.
    func lines(through wanted: String) throws -> [String] {
        var lines: [String] = []
        while let line = try line() {
            lines.append(line)
            if line.contains(wanted) { return lines }
        }
        return lines
    }
}

import Foundation
import Glibc
import ProcessTesting
import TestSupport

/// A store and its runner in a separate process with a mock target.
///
/// A test can crash the process at named points.
final class RunnerProcess {
    struct Answer: Error, CustomStringConvertible {
        var description: String
    }

    let target: MockTarget
    private let directory = TemporaryDirectory()
    private var process: ChildProcess?
    private var channel: Channel?
    private var starts = 0

    init() throws {
        target = try MockTarget(path: directory.path + "/target")
    }

    deinit {
        process?.signal(SIGKILL)
        _ = try? process?.wait(seconds: 10)
        if let channel { close(channel.ours) }
        for number in 1...max(1, starts) {
            Sanitizer.expectNoReport(
                in: (try? String(contentsOfFile: "\(directory.path)/error.\(number)", encoding: .utf8)) ?? "")
        }
    }

    /// Starts the process.
    ///
    /// `crash` names a point and the occurrence at which to crash: `after-commit:3`.
    func start(crash: String? = nil) throws {
        precondition(process?.isRunning != true, "it is running already")
        starts += 1
        let error = open("\(directory.path)/error.\(starts)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(error) }
        if let channel { close(channel.ours) }
        let channel = try Channel()
        defer { close(channel.theirs) }
        var environment = Command.environment
        environment["CRASH_POINT"] = crash
        process = try ChildProcess(
            [Products.directory + "/CrashingRunner", directory.path + "/data", target.path], environment: environment,
            input: channel.theirs, output: channel.theirs, error: error)
        self.channel = channel
    }

    /// Sends a line and returns the answer, or nil if the process dies.
    func ask(_ line: String) throws -> String? {
        guard let channel else { return nil }
        let bytes = line + "\n"
        guard send(channel.ours, bytes, bytes.utf8.count, Int32(MSG_NOSIGNAL)) == bytes.utf8.count else { return nil }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        let deadline = Deadline(seconds: 60)
        while answer.last != 0x0A {
            guard try deadline.awaitReadable(channel.ours) else { throw Answer(description: "no answer to \(line)") }
            let count = recv(channel.ours, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            answer += chunk[..<count]
        }
        return String(decoding: answer.dropLast(), as: UTF8.self)
    }

    func waitForEnd() throws -> ChildProcess.End? { try process?.wait(seconds: 60) }

    /// Kills the process.
    func kill() throws {
        process?.signal(SIGKILL)
        _ = try waitForEnd()
    }

    /// Lets the process end by itself.
    func stop() throws -> ChildProcess.End? {
        if let channel { shutdown(channel.ours, Int32(SHUT_WR)) }
        return try waitForEnd()
    }
}

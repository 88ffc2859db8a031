import Glibc
import ProcessTesting
import Testing
import TodoClient

/// A tracer that is attached to a process and does something to it at some of its calls to the system.
final class Tracer {
    static let isPossible: Bool = {
        guard let strace = Products.tool("strace") else { return false }
        let outcome = try? Command.run([strace, "-o", "/dev/null", "-e", "inject=none", "/bin/true"])
        let traced = try? Command.run([strace, "-o", "/dev/null", "/bin/true"])
        return outcome != nil && traced?.end == .exit(0)
    }()
    static let reason: Comment = "tracing a process needs strace and the right to"

    private let process: ChildProcess
    private let said: Int32

    /// - Parameters:
    ///   - what: what it does there; `nil`: nothing.
    ///   - path: only calls that concern this file; `nil`: all.
    ///   - file: where the calls are written down.
    init(
        _ pid: pid_t, at calls: String, _ what: String? = nil, path: String? = nil, into file: String = "/dev/null"
    ) throws {
        let channel = try Channel()
        said = channel.ours
        process = try ChildProcess(
            [
                try #require(Products.tool("strace")), "-f", "-p", "\(pid)", "-o", file, "-e", "trace=\(calls)",
            ] + (what.map { ["-e", "inject=\(calls):\($0)"] } ?? []) + (path.map { ["-P", $0] } ?? []),
            environment: Command.environment, output: channel.theirs, error: channel.theirs)
        close(channel.theirs)
        // It says so when it is attached to all threads.
        guard try Deadline(seconds: 30).awaitReadable(said) else { throw VarlinkClientError.timedOut }
    }

    func end() throws {
        process.signal(SIGKILL)
        _ = try process.wait(seconds: 10)
    }

    deinit { close(said) }
}

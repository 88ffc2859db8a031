import Glibc
import ProcessTesting
import Testing
import TodoClient

/// A tracer that is attached to a process and manipulates some of its system calls.
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
    ///   - what: the manipulation; `nil`: none.
    ///   - path: only calls on this file; `nil`: all.
    ///   - file: the log of the calls.
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
        // It prints a message once it is attached to all threads.
        guard try Deadline(seconds: 30).awaitReadable(said) else { throw VarlinkClientError.timedOut }
    }

    func end() throws {
        process.signal(SIGKILL)
        _ = try process.wait(seconds: 10)
    }

    deinit { close(said) }
}

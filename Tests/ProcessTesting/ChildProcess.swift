public import CProcess
import Foundation
import Glibc
import Synchronization
import TestSupport

/// A child process that can be signalled and waited for.
public final class ChildProcess: Sendable {
    /// How a process ended.
    public enum End: Equatable, Sendable, CustomStringConvertible {
        /// By itself, with a status.
        case exit(Int32)
        /// By a signal.
        case signal(Int32)

        public var description: String {
            switch self {
            case .exit(let code): "exit \(code)"
            case .signal(let number): "signal \(number)"
            }
        }
    }

    public let pid: pid_t
    /// A descriptor that is readable, at end of file, once the process has ended.
    public let ended: Int32
    private let end = Mutex<End?>(nil)

    /// Starts a program with the given standard input, output and error.
    ///
    /// The descriptors remain the caller's.
    public init(
        _ command: [String], environment: [String: String], input: Int32 = -1, output: Int32, error: Int32
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if input < 0 {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        } else {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, error, 2)
        // Otherwise the child would inherit descriptors that another test has open and keep them open as long as it runs.
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        sigaddset(&defaults, SIGTERM)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }

        let channel = try Channel()
        var started: pid_t = 0
        let failure = startOfProcesses.withLock { _ in
            posix_spawn(&started, command[0], &actions, &attributes, &arguments, &variables)
        }
        guard failure == 0 else {
            close(channel.ours)
            close(channel.theirs)
            throw SystemFailure(what: command[0], number: failure)
        }
        pid = started
        ended = channel.ours
        let writeEnd = channel.theirs
        Thread.detachNewThread { [self] in
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            end.withLock { $0 = signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal) }
            close(writeEnd)
        }
    }

    deinit { close(ended) }

    /// Sends a signal, unless the process has ended.
    ///
    /// After SIGSTOP all its threads have stopped when this returns.
    public func signal(_ number: Int32) {
        // Under the lock no other process can have got the pid, unless it ended this very moment.
        end.withLock { end in
            guard end == nil, Glibc.kill(pid, number) == 0, number == SIGSTOP else { return }
            // Its threads stop one after the other and may still do work in between.
            var information = siginfo_t()
            while waitid(P_PID, id_t(pid), &information, WSTOPPED | WNOWAIT) < 0, errno == EINTR {}
        }
    }

    /// How the process ended, or `nil` if it still runs when the time is over.
    public func wait(seconds: Double) throws -> End? {
        guard try Deadline(seconds: seconds).awaitReadable(ended) else { return nil }
        return end.withLock { $0 }
    }

    public var isRunning: Bool { end.withLock { $0 == nil } }
}

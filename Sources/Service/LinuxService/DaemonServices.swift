// The exit status is part of the API, because clients explain it.
import Glibc
package import Logging
package import ServiceLifecycle
import Synchronization
@_exported public import enum TodoAPI.ExitStatus
package import UnixSignals

package enum DaemonServices {
    /// A group whose services stop in reverse order, on a signal or with the enclosing group.
    ///
    /// Services still running after `stopSeconds` are cancelled; then `StopLimit` ends the process. If one ends, all stop.
    package static func group(
        _ services: [any Service], stopSeconds: Int, signals: [UnixSignal] = [.sigterm, .sigint], logger: Logger
    ) -> ServiceGroup {
        var configuration = ServiceGroupConfiguration(
            services: services.map { service in
                .init(
                    service: service, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: signals, logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(stopSeconds)
        return ServiceGroup(configuration: configuration)
    }

    /// Makes writing to a closed connection an error instead of a fatal signal; call it once at the start.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
        // The parent may have ignored SIGCHLD, which would discard the exit statuses of children.
        signal(SIGCHLD, SIG_DFL)
    }

    /// Raises the limit of descriptors to the maximum; each connection takes one.
    package static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    package static func print(_ text: String) {
        Swift.print(text)
        fflush(nil)
    }
}

/// Ends the process if it has not stopped in time.
///
/// Acknowledged actions are on disk, and interrupted work runs again at the next start, so only time is lost.
package struct StopLimit: Service {
    /// Seconds between the cancellation and the end of the process; with the time to stop, less than the limit of a unit.
    static let graceSeconds = 5

    private let seconds: Int

    /// Creates a limit that begins with the shutdown; it must be the last service of its group, which stops first.
    package init(stopSeconds: Int) { seconds = stopSeconds + StopLimit.graceSeconds }

    package func run() async throws {
        try? await gracefulShutdown()
        // A blocking call can't be cancelled, and threads may be unavailable then, so use a timer of the kernel.
        signal(SIGALRM) { _ in
            let line: StaticString = "Running commands did not stop in time; they run again at the next start.\n"
            // Don't wait for a reader.
            var room = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            if poll(&room, 1, 0) == 1 { write(STDERR_FILENO, line.utf8Start, line.utf8CodeUnitCount) }
            _exit(ExitStatus.tryAgain.rawValue)
        }
        alarm(UInt32(clamping: seconds))
    }
}

/// Ends the daemon if the content of the disk is unknown.
package final class Fault: Service {
    private let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
    private let failure = Mutex<StartFailure?>(nil)

    package init() {}

    package var known: StartFailure? { failure.withLock { $0 } }

    /// Can be called from any thread.
    package func report(_ what: String) {
        failure.withLock { failure in
            failure = StartFailure(
                .inputOutput,
                "It is unknown what is on disk: \(what). Acknowledged changes are; retry the others with their keys.")
        }
        continuation.yield(what)
    }

    package func run() async throws {
        try await cancelWhenGracefulShutdown {
            for await _ in self.stream {
                if let known = self.known { throw known }
            }
        }
    }
}

package enum MemoryLimit {
    package static var current: Int {
        bytes(
            ofGroup: text("/proc/self/cgroup").split(separator: "\n").last { $0.hasPrefix("0::") }?.dropFirst(3) ?? "",
            machineBytes: sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The smallest limit of a control group (cgroup v2) and its ancestors, at most the memory of the machine.
    package static func bytes(ofGroup group: Substring, in root: String = "/sys/fs/cgroup", machineBytes: Int) -> Int {
        var (path, bytes) = (root, machineBytes)
        for part in [""] + group.split(separator: "/").map(String.init) {
            path += "/" + part
            // A group without a limit contains "max".
            bytes = min(bytes, text(path + "/memory.max").split(separator: "\n").first.flatMap { Int($0) } ?? bytes)
        }
        return bytes
    }

    private static func text(_ path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&bytes, 1, 4_096, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

public struct StartFailure: Error, Sendable, Equatable, CustomStringConvertible {
    public var status: ExitStatus
    /// The failed attempt and the remedy, as sentences; may have several lines.
    public var message: String

    public init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    public var description: String { message }

    /// A failed system call: no permission for EACCES or EPERM, otherwise an I/O error.
    package static func system(_ attempt: String, code: Int32) -> StartFailure {
        let status: ExitStatus = code == EACCES || code == EPERM ? .notPermitted : .inputOutput
        return StartFailure(status, "\(attempt): \(SystemError(code: code)).")
    }
}

struct SystemError: Error, Equatable, CustomStringConvertible {
    var code: Int32

    static var last: SystemError { SystemError(code: errno) }

    var description: String {
        // The pointer that strerror returns is only valid until the next call.
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}

/// The message of a daemon started at a terminal, when it is ready.
package struct StartMessage: Sendable, Equatable {
    package var name: String
    package var firstTries: [String]
    package var socket: String
    /// The client as a person can call it: `todoctl`, with its directory if it lies beside the daemon.
    package var client: String
    /// Whether the client finds the socket by default.
    var isUsual: Bool

    /// Takes the socket, and the client beside the daemon if the daemon was called by its path.
    /// - Parameters:
    ///   - usualSockets: the default sockets of the client, in its order.
    ///   - path: the first word of the daemon's command line.
    ///   - exists: whether a file can be executed.
    package init(_ program: Program, socket: String, usualSockets: [String], path: String, exists: (String) -> Bool) {
        name = program.name
        firstTries = program.firstTries
        self.socket = socket
        isUsual = usualSockets.first { $0 == socket || exists($0) } == socket
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        client = !directory.isEmpty && exists("\(directory)todoctl") ? "\(directory)todoctl" : "todoctl"
    }

    package var text: String {
        let client = ShellWord.text(of: client) + (isUsual ? "" : " --socket \(ShellWord.text(of: socket))")
        return "\(name) listens on \(socket)\nTry in another terminal:" + firstTries.map { "\n  \(client) \($0)" }.joined()
    }
}

package enum ShellWord {
    package static func text(of word: String) -> String {
        guard word.isEmpty || !word.utf8.allSatisfy({ plain.contains($0) }) else { return word }
        let parts = word.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: #"'\''"#) + "'"
    }

    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%".utf8)
}

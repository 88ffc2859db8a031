// The exit status is part of the API, because clients explain it.
import Glibc
package import Logging
package import ServiceLifecycle
@_exported public import enum TodoAPI.ExitStatus
package import UnixSignals

package enum DaemonServices {
    /// A group whose services stop in reverse order, on a signal or with the enclosing group.
    ///
    /// Services still running after `stopSeconds` are cancelled; then `limitStop` ends the process. If one ends, all stop.
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

    /// Ends the process if it has not stopped in time; run it last in its group, because it begins with the shutdown.
    ///
    /// Acknowledged actions are on disk, and interrupted work runs again at the next start, so only time is lost.
    package static func limitStop(toSeconds seconds: Int) async {
        try? await gracefulShutdown()
        // A blocking call can't be cancelled, and threads may be unavailable then, so use a timer of the kernel.
        signal(SIGALRM) { _ in
            let line: StaticString = "Running commands did not stop in time; they run again at the next start.\n"
            // Don't wait for a reader.
            var room = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            if poll(&room, 1, 0) == 1 { write(STDERR_FILENO, line.utf8Start, line.utf8CodeUnitCount) }
            _exit(ExitStatus.tryAgain.rawValue)
        }
        // The services are cancelled first; together, that is less than the limit of a unit.
        alarm(UInt32(clamping: seconds + 5))
    }

    package static func print(_ text: String) {
        Swift.print(text)
        fflush(nil)
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
        String(decoding: (try? FileContent.bytes(of: path, max: 64 << 10)) ?? [], as: UTF8.self)
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

package struct SystemError: Error, Equatable, CustomStringConvertible {
    package var code: Int32

    static var last: SystemError { SystemError(code: errno) }

    package var description: String {
        // The pointer that strerror returns is only valid until the next call.
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}

package enum FileContent {
    /// Reads a file, a pipe or a device to its end; throws `EFBIG` for more bytes than allowed.
    package static func bytes(of path: String, max bytesMax: Int, flags: Int32 = 0) throws(SystemError) -> [UInt8] {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags)
        guard number >= 0 else { throw .last }
        let file = Descriptor(number)
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(file.number, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            guard count > 0 else { return bytes }
            bytes += block[..<count]
            guard bytes.count <= bytesMax else { throw SystemError(code: EFBIG) }
        }
    }
}

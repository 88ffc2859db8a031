import CProcess
import Chronicle
import Glibc
import TodoAPI
import TodoClient
import Varlink

/// The daemon of a fork; it runs as the user and outlives the process that started it.
struct ForkDaemon {
    let place: ForkPlace

    /// Maximum startup time, in microseconds: after a crash the fork folds its log again.
    private static let patience: Int64 = 300_000_000
    private static let endPatience: Int32 = 300_000

    /// Maximum time for a reply that requires no folding, in milliseconds.
    private static let answerPatience = 5_000

    /// - Throws: if another user owns the socket, or could replace it.
    func isRunning() throws(Failure) -> Bool { try connection() != nil }

    /// The head of its log; `nil` if it does not run.
    ///
    /// - Throws: `unreachable` if it does not answer within some seconds; the errors of ``isRunning()``.
    func sequence() throws(Failure) -> UInt64? {
        guard let connection = try connection() else { return nil }
        do throws(VarlinkClientError) {
            return try connection.call(PingMethod.self, NoFields()).sequence
        } catch {
            guard error != .timedOut else {
                throw Failure(
                    .unreachable,
                    "Its daemon does not answer. To restart it: todoctl fork stop \(place.name), then fork start.")
            }
            throw Failure(error, socket: place.socket)
        }
    }

    private func connection() throws(Failure) -> VarlinkClient? {
        let (socket, uid) = (try place.ownSocket(), getuid())
        do throws(VarlinkClientError) {
            _ = try SocketPlace(socket, uid: uid)
            return try VarlinkClient(socket, patience: Self.answerPatience) { server throws(VarlinkClientError) in
                guard server == uid else {
                    throw .untrusted("Uid \(server) answers at \(Visible.text(socket)) instead of your fork.")
                }
            }
        } catch {
            switch error {
            case .unreachable(ENOENT), .unreachable(ECONNREFUSED): return nil
            default: throw Failure(error, socket: socket)
            }
        }
    }

    func client() throws(Failure) -> Client { try Client(socket: place.ownSocket()) }

    func start() throws(Failure) {
        if try isRunning() { return }
        if hasManager, ExternalProgram(command: asUnit).run([]) == .status(0) { return try waitUntilReady(child: nil) }
        try startAlone()
    }

    func startAlone() throws(Failure) { try waitUntilReady(child: try DetachedProgram(command, output: place.output).run()) }

    func stop() throws(Failure) {
        guard let pid = try connection()?.serverPID else { return }
        // The process is in another pid namespace. For `kill`, 0 would be the own process group.
        guard pid > 0 else {
            throw Failure(
                .notPermitted,
                "The daemon of the fork \(place.name) runs in another namespace of processes, as in a container: stop it from there."
            )
        }
        guard let process = try ProcessHandle(pid) else { return }
        // The daemon still answers after the handle was opened, so the handle refers to it.
        guard let again = try connection() else { return }
        guard again.serverPID == pid else {
            throw Failure(.tryAgain, "The daemon of the fork \(place.name) was restarted. Try again.")
        }
        try process.send(SIGTERM)
        // A stopped process ends only after it continues.
        try process.send(SIGCONT)
        guard process.hasEnded(within: Self.endPatience) else { throw Failure(.tryAgain, "Process \(pid) does not stop.") }
        // A child process must be reaped; for other processes this does nothing.
        var status: Int32 = 0
        waitpid(pid, &status, WNOHANG)
    }

    private static func isGone(_ child: Int32) -> Bool {
        var status: Int32 = 0
        return waitpid(child, &status, WNOHANG) != 0
    }

    private var hasManager: Bool {
        guard let directory = Environment.variable("XDG_RUNTIME_DIR"), directory.hasPrefix("/") else { return false }
        return access(directory + "/systemd/private", F_OK) == 0
    }

    private var command: [String] { [SiblingProgram.path("todod"), "--data", place.data, "--socket", place.socket] }

    private var asUnit: [String] {
        [
            "systemd-run", "--user", "--quiet", "--collect", "--unit=todod-fork-\(place.name)", "--service-type=notify",
            "--description=Fork \(place.name) of todod", "--property=UMask=0077", "--property=LimitCORE=0",
        ] + DetachedProgram.settings.map { "--setenv=\($0)" } + command
    }

    private func waitUntilReady(child: Int32?) throws(Failure) {
        let search = SocketSearch(patience: Self.patience) { () throws(Failure) in
            if let child, Self.isGone(child) {
                let said = DirectoryTree.contents(of: place.output).map { String(decoding: $0, as: UTF8.self) } ?? ""
                throw Failure(.unreachable, "The daemon of the fork did not start.\n" + Visible.lines(said))
            }
            guard !Interruption.isRequested else { throw ForkMaker.interrupted }
            return place.socket
        }
        _ = try Client(search).call(PingMethod.self, NoFields())
    }
}

/// A daemon process in its own session.
struct DetachedProgram {
    private let command: [String]
    private let output: String

    /// Settings of the daemon: the log of a fork must not get initial todos.
    static let settings = ["TODOD_LOAD_WHEN_EMPTY=no"]
    /// Variables for the parent's daemon and its service manager.
    private static let foreign = [
        "TODOD_SOCKET", "TODOD_DATA", "TODOD_WAIT", "TODOD_TIMEOUT", "TODOD_FORK", "NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS",
        "LISTEN_FDNAMES", "WATCHDOG_PID", "WATCHDOG_USEC", "STATE_DIRECTORY", "RUNTIME_DIRECTORY", "MANAGERPID",
        "SYSTEMD_EXEC_PID", "JOURNAL_STREAM", "INVOCATION_ID", "TODOD_LOAD_WHEN_EMPTY",
    ]

    /// - Parameter output: the file for standard output and error.
    init(_ command: [String], output: String) { (self.command, self.output) = (command, output) }

    func run() throws(Failure) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Close inherited descriptors. Otherwise pipes and locks of other programs would stay open as long as the daemon.
        for descriptor in DirectoryTree.names(in: "/proc/self/fd").compactMap({ Int32($0) }) where descriptor > 2 {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGPIPE, SIGINT, SIGHUP, SIGTERM, SIGQUIT] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Self.newSession)
        var arguments = command.map { strdup($0) } + [nil]
        var environment = Self.environment.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var pid: pid_t = 0
        let number = posix_spawnp(&pid, command[0], &actions, &attributes, &arguments, &environment)
        guard number == 0 else { throw SiblingProgram.notStarted(command[0], number) }
        return pid
    }

    // `POSIX_SPAWN_SETSID`, which Swift does not import.
    private static let newSession: Int16 = 0x80

    private static var environment: [String] {
        var kept: [String] = []
        var entry = environ
        while let text = entry.pointee {
            let variable = String(cString: text)
            if !foreign.contains(where: { variable.hasPrefix($0 + "=") }) { kept.append(variable) }
            entry += 1
        }
        return kept + settings
    }
}

/// A handle of a process that stays valid when the pid is reused.
struct ProcessHandle: ~Copyable {
    private let descriptor: Int32

    /// Opens a handle; `nil` if the process does not exist.
    ///
    /// - Throws: if the kernel refuses the handle.
    init?(_ pid: Int32) throws(Failure) {
        descriptor = process_open(pid)
        guard descriptor < 0 else { return }
        guard errno == ESRCH else {
            throw Failure(.notPermitted, "Process \(pid) can't be opened: \(String(cString: strerror(errno))).")
        }
        return nil
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func send(_ signal: Int32) throws(Failure) {
        guard process_signal(descriptor, signal) != 0, errno != ESRCH else { return }
        throw Failure(.notPermitted, "The process can't be stopped: \(String(cString: strerror(errno))).")
    }

    /// Waits for the end, also of zombies; `false` after the timeout.
    func hasEnded(within milliseconds: Int32) -> Bool {
        let deadline = Clock.uptime() + Int64(milliseconds) * 1_000
        while true {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = max(0, deadline - Clock.uptime()) / 1_000
            let count = poll(&polled, 1, Int32(clamping: left))
            if count > 0 { return true }
            guard count < 0, errno == EINTR else { return false }
        }
    }
}

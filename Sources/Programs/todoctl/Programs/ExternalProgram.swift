import CProcess
import Glibc

/// An external program that gets some input on standard input.
struct ExternalProgram {
    /// The name, which is searched in PATH, and the arguments.
    let command: [String]

    enum End: Equatable {
        case status(Int32)
        case signal(Int32)
        /// It could not be started, for this reason.
        case notRun(String)

        /// Why it failed; `nil` on success.
        var failure: String? {
            switch self {
            case .status(0): nil
            case .status(let code): "it ended with status \(code)"
            case .signal(let signal): "it was ended by signal \(signal)"
            case .notRun(let reason): "it can't be run: \(reason)"
            }
        }
    }

    func run(_ input: [UInt8]) -> End {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return .notRun(String(cString: strerror(errno))) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child = start(reading: ends[0])
        close(ends[0])
        if case .success = child { write(input, to: ends[1]) }
        close(ends[1])
        switch child {
        case .failure(let failure): return .notRun(String(cString: strerror(failure.number)))
        case .success(let pid): return wait(for: pid)
        }
    }

    struct NotStarted: Error { let number: Int32 }

    func start(reading input: Int32) -> Result<pid_t, NotStarted> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        // Reset the signals that are ignored here.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var arguments = command.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        var pid: pid_t = 0
        let number = posix_spawnp(&pid, command[0], &actions, &attributes, &arguments, environ)
        return number == 0 ? .success(pid) : .failure(NotStarted(number: number))
    }

    // A program that reads no further has what it needs.
    private func write(_ input: [UInt8], to descriptor: Int32) {
        var rest = input[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, Array(rest), rest.count)
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }

    func wait(for pid: pid_t) -> End {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { return .notRun(String(cString: strerror(errno))) }
        }
        let signal = status & 0x7F
        return signal != 0 ? .signal(signal) : .status(status >> 8 & 0xFF)
    }
}

enum SiblingProgram {
    /// The path next to this program, or the name alone for a search in PATH.
    static func path(_ name: String) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let own = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let beside = own.lastIndex(of: "/").map { "\(own[..<$0])/\(name)" } ?? ""
        return access(beside, X_OK) == 0 ? beside : name
    }

    /// Replaces this process (exec); returns only on failure.
    static func becoming(_ command: [String]) -> Failure {
        var arguments = command.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        execvp(command[0], &arguments)
        return notStarted(command[0], errno)
    }

    static func notStarted(_ program: String, _ number: Int32) -> Failure {
        guard number == ENOENT else {
            return Failure(.unreachable, "\(Visible.text(program)) can't be run: \(String(cString: strerror(number))).")
        }
        return Failure(
            .unreachable,
            "There is no \(Visible.text(program)) beside todoctl, and none in PATH: install it, or add its directory to PATH.")
    }
}

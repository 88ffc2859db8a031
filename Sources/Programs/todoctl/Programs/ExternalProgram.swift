import Glibc

/// A program of the user that is run for something, with that on its standard input.
struct ExternalProgram {
    /// Its name, looked for in PATH, and its arguments.
    let command: [String]

    /// How it ended.
    enum End: Equatable {
        case status(Int32)
        case signal(Int32)
        /// It never ran, for this reason.
        case notRun(String)

        /// Why it did not do all; `nil`: it did.
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

    /// Why it can't be started, as the system says it.
    struct NotStarted: Error { let number: Int32 }

    /// Starts it, with a descriptor as its standard input.
    func start(reading input: Int32) -> Result<pid_t, NotStarted> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        // What is left aside here must not be there.
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

    // Whoever reads no further has what it wanted.
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

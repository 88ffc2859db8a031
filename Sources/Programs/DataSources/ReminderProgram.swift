import CProcess
public import Chronicle
import Glibc

/// Runs a program for each reminder: one of the user's, or notify-send, which shows it on the desktop.
///
/// The program gets environment variables: `TODO_ID`, `TODO_TITLE`, `TODO_DUE` and `TODO_REMINDER`, a name that stays the same
/// when the program runs again for the same reminder because the daemon ended before it recorded the first run.
public struct ReminderProgram: ReminderTarget {
    private let path: String?
    private let environment: [String: String]

    // Variables that the service manager sets only for the daemon.
    private static let ownVariables = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "CREDENTIALS_DIRECTORY",
    ]
    private static let lookNanoseconds: UInt64 = 20_000_000

    /// `path` defaults to notify-send, if it is in PATH.
    public init(path: String? = nil, environment: [String: String] = [:]) {
        self.path = path
        self.environment = environment.filter { !Self.ownVariables.contains($0.key) }
    }

    /// Runs the program and waits for its end.
    ///
    /// - Throws: if it can't be run or doesn't end with status 0. It is killed at the timeout.
    public func remind(_ reminder: Reminder, _ ticket: CommandTicket) async throws(CommandFailure) {
        let command = path.map { [$0] } ?? ["notify-send", "--app-name=todod", "--", reminder.title, reminder.due]
        var variables = environment
        variables["TODO_ID"] = String(reminder.id)
        variables["TODO_TITLE"] = reminder.title
        variables["TODO_DUE"] = reminder.due
        variables["TODO_REMINDER"] = ticket.id
        let status = try await ended(try started(command, variables))
        guard status != 0 else { return }
        let signal = status & 0x7F
        throw CommandFailure(
            "\(command[0]) ended " + (signal != 0 ? "by signal \(signal)" : "with status \(status >> 8 & 0xFF)") + ".")
    }

    private func started(_ command: [String], _ variables: [String: String]) throws(CommandFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        // Close the clients' connections. Otherwise the program would keep them open until it ends.
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Reset the inherited signal mask and handlers. The program gets its own process group, so that its children
        // are killed with it.
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        var arguments = command.map { strdup($0) } + [nil]
        var assignments = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for text in arguments { free(text) }
            for text in assignments { free(text) }
        }
        var pid: pid_t = 0
        let number = posix_spawnp(&pid, command[0], &actions, &attributes, &arguments, &assignments)
        guard number == 0 else { throw notRun(command[0], number) }
        return pid
    }

    private func notRun(_ name: String, _ number: Int32) -> CommandFailure {
        guard path == nil, number == ENOENT else {
            // Busy executable files and lack of memory are temporary.
            return CommandFailure(
                "\(name) can't be run: \(String(cString: strerror(number))).",
                isPermanent: ![ETXTBSY, EAGAIN, ENOMEM].contains(number))
        }
        return CommandFailure(
            "There is no notify-send in PATH. Install it, or name a program of your own in TODOD_REMIND_PROGRAM.",
            isPermanent: true)
    }

    private func ended(_ pid: pid_t) async throws(CommandFailure) -> Int32 {
        var status: Int32 = 0
        while true {
            let found = waitpid(pid, &status, WNOHANG)
            if found == pid { return status }
            guard found == 0 || errno == EINTR else {
                throw CommandFailure("Its exit status is unknown: \(String(cString: strerror(errno))).")
            }
            do { try await Task.sleep(nanoseconds: Self.lookNanoseconds) } catch {
                kill(-pid, SIGKILL)
                while waitpid(pid, &status, 0) < 0, errno == EINTR {}
                throw CommandFailure("It took too long, or was interrupted.")
            }
        }
    }
}

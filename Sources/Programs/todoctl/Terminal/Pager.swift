import Glibc

final class Pager {
    private let program: ExternalProgram
    private let pid: pid_t
    private let terminal: Int32

    enum Place {
        case beginning
        case end
    }

    /// Starts the user's pager on standard output; `nil` if the user wants none or it can't be started.
    init?(at place: Place, _ variable: (String) -> String? = Environment.variable) {
        guard let command = Pager.command(at: place, variable) else { return nil }
        // Without these options, less might show colour sequences as text.
        setenv("LESS", "FRX", 0)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        defer { for end in ends { close(end) } }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let program = ExternalProgram(command: command)
        guard case .success(let pid) = program.start(reading: ends[0]) else { return nil }
        self.program = program
        self.pid = pid
        terminal = dup(1)
        _ = fcntl(terminal, F_SETFD, FD_CLOEXEC)
        dup2(ends[1], 1)
        // Ctrl-C goes to the pager, which would otherwise lose the terminal.
        signal(SIGINT, SIG_IGN)
    }

    /// Restores standard output and waits for the pager; returns an error message if the pager can't be run.
    func end() -> String? {
        dup2(terminal, 1)
        close(terminal)
        let end = program.wait(for: pid)
        signal(SIGINT, SIG_DFL)
        // Any other status may mean that the user quit early.
        guard case .status(Self.notExecutable...Self.notFound) = end else { return nil }
        return "The pager “\(Environment.variable("PAGER") ?? "")” can't be run: mend PAGER, or set it to cat."
    }

    private static let notExecutable: Int32 = 126
    private static let notFound: Int32 = 127

    /// The pager's command: $PAGER, or less; `nil` if that is empty or cat, or the terminal can't position the cursor.
    static func command(at place: Place, _ variable: (String) -> String?) -> [String]? {
        guard !["", "dumb"].contains(variable("TERM") ?? "") else { return nil }
        guard let pager = variable("PAGER") else { return ["less", "-FRX"] + (place == .end ? [goToEnd] : []) }
        let isNone = pager == "cat" || pager.allSatisfy(\.isWhitespace)
        return isNone ? nil : ["/bin/sh", "-c", place == .end && isLess(pager) ? "\(pager) \(goToEnd)" : pager]
    }

    private static let goToEnd = "+G"

    private static func isLess(_ command: String) -> Bool {
        let words = command.split(separator: " ")
        guard words.first?.split(separator: "/").last == "less" else { return false }
        return command.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || " -_./=".contains($0)) }
    }
}

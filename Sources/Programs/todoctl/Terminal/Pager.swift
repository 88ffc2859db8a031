import Glibc

/// A program that shows standard output page by page, until it is given back.
final class Pager {
    private let program: ExternalProgram
    private let pid: pid_t
    private let terminal: Int32

    /// Where a person begins to read.
    enum Place {
        case beginning
        /// Only less knows how to go there.
        case end
    }

    /// Starts the user's pager, and gives it standard output; `nil` where none is wanted, or there is none.
    init?(at place: Place, _ variable: (String) -> String? = Environment.variable) {
        guard let command = Pager.command(at: place, variable) else { return nil }
        // Without these a pager that the user names might show colours as what they are written with.
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
        // Ctrl-C is the pager's, which would be left behind with the terminal.
        signal(SIGINT, SIG_IGN)
    }

    /// Takes standard output back, and waits until the person has read; gives why he can't, as a sentence.
    func end() -> String? {
        dup2(terminal, 1)
        close(terminal)
        let end = program.wait(for: pid)
        signal(SIGINT, SIG_DFL)
        // With any other status it may have ended because he had read enough.
        guard case .status(Self.notExecutable...Self.notFound) = end else { return nil }
        return "The pager “\(Environment.variable("PAGER") ?? "")” can't be run: mend PAGER, or set it to cat."
    }

    // What a shell says of a program that it can't run.
    private static let notExecutable: Int32 = 126
    private static let notFound: Int32 = 127

    /// What shows pages: $PAGER, or less; `nil` where that is empty or cat, or the terminal can't be moved about.
    static func command(at place: Place, _ variable: (String) -> String?) -> [String]? {
        guard !["", "dumb"].contains(variable("TERM") ?? "") else { return nil }
        guard let pager = variable("PAGER") else { return ["less", "-FRX"] + (place == .end ? [goToEnd] : []) }
        let isNone = pager == "cat" || pager.allSatisfy(\.isWhitespace)
        return isNone ? nil : ["/bin/sh", "-c", place == .end && isLess(pager) ? "\(pager) \(goToEnd)" : pager]
    }

    // What less goes to the end with.
    private static let goToEnd = "+G"

    /// Whether a command is less alone, with options that say nothing to a shell.
    private static func isLess(_ command: String) -> Bool {
        let words = command.split(separator: " ")
        guard words.first?.split(separator: "/").last == "less" else { return false }
        return command.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || " -_./=".contains($0)) }
    }
}

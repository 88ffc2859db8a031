import Glibc

/// Where lines of logging go: to a person at standard error, or to the journal.
package struct LogOutput: Sendable {
    package enum Form: Sendable {
        /// A line for a person.
        case plain
        /// A line with the journal's `<6>` in front.
        case prefixed
        /// An entry with fields; a line with prefix where the journal does not take it.
        case journal(NotificationSocket)
    }

    /// Who writes: what begins each line for a person, and names the entries of the journal.
    package let program: String
    let form: Form
    private let writer: LogWriter

    package init(program: String, form: Form, descriptor: Int32) {
        self.program = program
        self.form = form
        writer = LogWriter(descriptor: descriptor) { count in
            let text =
                "\(count) \(count == 1 ? "line of logging was" : "lines of logging were") dropped, because nobody read those before them"
            return if case .plain = form { "\(program): warning: \(text)" } else { "<4>\(text)" }
        }
    }

    /// Standard error: fields when it is the journal, as JOURNAL_STREAM says, else lines for a person.
    package init(program: String, environment: [String: String]) {
        self.init(program: program, environment: environment, descriptor: STDERR_FILENO, journal: "/run/systemd/journal/socket")
    }

    package init(program: String, environment: [String: String], descriptor: Int32, journal path: String) {
        var status = stat()
        // A program that was started with its errors sent elsewhere still inherits the variable.
        guard let stream = environment["JOURNAL_STREAM"], fstat(descriptor, &status) == 0,
            stream == "\(status.st_dev):\(status.st_ino)"
        else {
            self.init(program: program, form: .plain, descriptor: descriptor)
            return
        }
        let journal = UnixAddress(path).flatMap { NotificationSocket($0) }
        self.init(program: program, form: journal.map { .journal($0) } ?? .prefixed, descriptor: descriptor)
    }

    /// Says why the daemon can't go on, before or after there is logging; a message may have several lines.
    package func complain(_ failure: StartFailure) {
        for line in failure.message.split(separator: "\n") {
            switch form {
            case .plain: write("\(program): \(LogLine.shown(String(line)))")
            case .prefixed, .journal: write("<3>\(LogLine.shown(String(line)))")
            }
        }
    }

    /// Waits until all lines are written, or for a second when nobody reads them; at the end of the process.
    package func drain() { writer.drain(atMost: 1) }

    /// Has one line written; it is dropped, and counted, when too many wait.
    package func write(_ line: String) { writer.write(line) }
}

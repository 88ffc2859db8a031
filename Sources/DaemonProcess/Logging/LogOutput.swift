import Glibc

/// Where lines of logging go: to a person at standard error, or to the journal.
public struct LogOutput: Sendable {
    enum Form: Sendable {
        /// A line for a person.
        case plain
        /// A line with the journal's `<6>` in front.
        case prefixed
        /// An entry with fields; a line with prefix where the journal does not take it.
        case journal(NotificationSocket)
    }

    let form: Form
    let descriptor: Int32

    init(form: Form, descriptor: Int32) {
        self.form = form
        self.descriptor = descriptor
    }

    /// Standard error: fields when it is the journal, as JOURNAL_STREAM says, else lines for a person.
    public init(environment: [String: String]) {
        self.init(environment: environment, descriptor: STDERR_FILENO, journal: "/run/systemd/journal/socket")
    }

    init(environment: [String: String], descriptor: Int32, journal path: String) {
        self.descriptor = descriptor
        var status = stat()
        // A program that was started with its errors sent elsewhere still inherits the variable.
        guard let stream = environment["JOURNAL_STREAM"], fstat(descriptor, &status) == 0,
            stream == "\(status.st_dev):\(status.st_ino)"
        else {
            form = .plain
            return
        }
        form = UnixAddress(path).flatMap { NotificationSocket($0) }.map { .journal($0) } ?? .prefixed
    }

    /// Says why the daemon can't go on, before or after there is logging; a message may have several lines.
    public func complain(_ failure: StartFailure) {
        for line in failure.message.split(separator: "\n") {
            switch form {
            case .plain: write("todod: \(LogLine.shown(String(line)))")
            case .prefixed, .journal: write("<3>\(LogLine.shown(String(line)))")
            }
        }
    }

    /// Writes one line in one piece; what can't be written is dropped, for there is nobody left to tell.
    func write(_ line: String) {
        var bytes = Array(line.utf8)
        bytes.append(0x0A)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            start += count
        }
    }
}

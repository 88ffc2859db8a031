import Glibc

/// Why the daemon can't start or go on, said to a person, and the status it exits with.
public struct StartFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status to exit with.
    public var status: ExitStatus
    /// What was tried and what to do about it, as sentences; may have several lines.
    public var message: String

    /// Combines a status with its sentences.
    public init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// The message.
    public var description: String { message }

    /// A failed system call: not permitted when the system says so, else input or output.
    package static func system(_ attempt: String, code: Int32) -> StartFailure {
        let status: ExitStatus = code == EACCES || code == EPERM ? .notPermitted : .inputOutput
        return StartFailure(status, "\(attempt): \(SystemError(code: code)).")
    }
}

/// What the end of the daemon says to whoever started it: the numbers of `sysexits.h`, each with one meaning.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Stopped as asked.
    case stopped = 0
    /// The command line is wrong.
    case usage = 64
    /// A record, a snapshot or the head of the log is damaged; starting again does not heal it.
    case damagedData = 65
    /// A part of the daemon ended that must not.
    case software = 70
    /// The disk failed, or the outcome of a write is unknown.
    case inputOutput = 74
    /// Something else is in the way for now: another daemon holds the data, or listens on the socket.
    case tryAgain = 75
    /// The system refuses access.
    case notPermitted = 77
    /// The configuration is wrong, or there is no log where one is to be read; starting again does not heal it.
    case configuration = 78

    /// What it means, as a sentence.
    public var sentence: String {
        switch self {
        case .stopped: "Stopped as asked."
        case .usage: "The command line is wrong."
        case .damagedData: "The data is damaged."
        case .software: "A part of the daemon ended that must not."
        case .inputOutput: "Reading or writing failed."
        case .tryAgain: "Something else is in the way; try again later."
        case .notPermitted: "The system does not permit it."
        case .configuration: "The configuration is wrong."
        }
    }
}

/// The number that a failed system call left behind, printed as the system words it.
struct SystemError: Error, Equatable, CustomStringConvertible {
    var code: Int32

    /// The number of the call that has just failed on this thread.
    static var last: SystemError { SystemError(code: errno) }

    var description: String {
        // The pointer that strerror returns is only good until the next call, and nil for no number.
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}

import Glibc

/// Why the daemon can't start or go on, said to a person, and the status it exits with.
public struct StartFailure: Error, Sendable, Equatable, CustomStringConvertible {
    public var status: ExitStatus
    /// The failed attempt and the remedy, as sentences; may have several lines.
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

/// The errno of a failed system call, printed as the system words it.
struct SystemError: Error, Equatable, CustomStringConvertible {
    var code: Int32

    /// The number of the call that has just failed on this thread.
    static var last: SystemError { SystemError(code: errno) }

    var description: String {
        // The pointer that strerror returns is only good until the next call, and nil for no number.
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}

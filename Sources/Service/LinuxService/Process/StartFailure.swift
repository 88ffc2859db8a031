import Glibc

/// Why the daemon can't start or continue, with its exit status.
public struct StartFailure: Error, Sendable, Equatable, CustomStringConvertible {
    public var status: ExitStatus
    /// The failed attempt and the remedy, as sentences; may have several lines.
    public var message: String

    /// Creates a failure.
    public init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// The message.
    public var description: String { message }

    /// A failed system call: no permission for EACCES or EPERM, otherwise an I/O error.
    package static func system(_ attempt: String, code: Int32) -> StartFailure {
        let status: ExitStatus = code == EACCES || code == EPERM ? .notPermitted : .inputOutput
        return StartFailure(status, "\(attempt): \(SystemError(code: code)).")
    }
}

/// The errno of a failed system call, described as by the system.
struct SystemError: Error, Equatable, CustomStringConvertible {
    var code: Int32

    /// The error of the last call on this thread.
    static var last: SystemError { SystemError(code: errno) }

    var description: String {
        // The pointer that strerror returns is only valid until the next call.
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}

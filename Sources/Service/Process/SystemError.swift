import Glibc

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

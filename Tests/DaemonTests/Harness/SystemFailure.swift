import Glibc

/// A call to the system that failed.
struct SystemFailure: Error, CustomStringConvertible {
    var what: String
    var number = errno

    var description: String { "\(what): \(String(cString: strerror(number)))" }
}

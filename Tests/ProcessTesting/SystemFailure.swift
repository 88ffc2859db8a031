public import Glibc

/// A failed system call.
public struct SystemFailure: Error, CustomStringConvertible {
    /// The name of the call.
    public var what: String
    /// Its errno.
    public var number: Int32

    /// Describes the call that has just failed.
    public init(what: String, number: Int32 = errno) { (self.what, self.number) = (what, number) }

    public var description: String { "\(what): \(String(cString: strerror(number)))" }
}

public import Glibc

/// A call to the system that failed.
public struct SystemFailure: Error, CustomStringConvertible {
    /// What was called.
    public var what: String
    /// Its errno.
    public var number: Int32

    /// Makes one of the call that has just failed.
    public init(what: String, number: Int32 = errno) { (self.what, self.number) = (what, number) }

    /// A sentence for people.
    public var description: String { "\(what): \(String(cString: strerror(number)))" }
}

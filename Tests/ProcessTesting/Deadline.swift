import Glibc

/// The end of a wait.
///
/// Only a broken daemon reaches it.
public struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    /// A deadline in this many seconds.
    public init(seconds: Double) {
        end = .now + .milliseconds(Int(seconds * 1000))
    }

    /// The remaining milliseconds in the form of poll's timeout.
    public var milliseconds: Int32 {
        let left = ContinuousClock.now.duration(to: end)
        let (seconds, attoseconds) = left.components
        return Int32(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000))
    }

    /// Waits until one of the descriptors is readable or has ended.
    ///
    /// Returns false when the time is over.
    public func awaitReadable(_ descriptors: Int32...) throws -> Bool {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            let left = milliseconds
            let count = poll(&polled, nfds_t(polled.count), left)
            if count > 0 { return true }
            if count == 0, left == 0 || milliseconds == 0 { return false }
            if count < 0, errno != EINTR { throw SystemFailure(what: "poll") }
        }
    }
}

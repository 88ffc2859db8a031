internal import NIOCore

/// Tracks the timeouts of a connection: an incomplete call, unread replies, a refused peer that makes no call.
struct ConnectionWatch {
    enum Verdict {
        case ok
        /// The call is incomplete, or a refused peer has made no call.
        case halfFrame
        case stalled
    }

    /// Minimum number of bytes that a peer must read within its timeout while more are waiting.
    ///
    /// A slower peer could keep old states in memory for hours. Linux reports free space only after most of a socket's buffer was
    /// read, so a smaller number would have no effect.
    private static let progressBytesMin = 256 << 10

    /// Total number of bytes handed to the channel.
    var handedBytes = 0
    private var halfFrame: (number: UInt64?, since: NIODeadline)?
    private var unread: (writtenBytes: Int, since: NIODeadline)?
    private var isRefused = false

    var isNeeded: Bool { halfFrame != nil || unread != nil }

    /// Requires a refused peer to make its call in time.
    mutating func refused(at now: NIODeadline) { (halfFrame, isRefused) = ((nil, now), true) }

    /// Records that no further calls are read; from now on only reading can time out.
    mutating func callsEnded() { (halfFrame, isRefused) = (nil, false) }

    /// Records pending work; true if timeouts must be checked.
    mutating func note(halfFrame number: UInt64?, unwrittenBytes: Int) -> Bool {
        if !isRefused, number != halfFrame?.number { halfFrame = number.map { ($0, .now()) } }
        if unwrittenBytes == 0 {
            unread = nil
        } else if unread == nil {
            unread = (handedBytes - unwrittenBytes, .now())
        }
        return isNeeded
    }

    mutating func verdict(
        at now: NIODeadline, unwrittenBytes: Int, callSecondsMax: Double, stalledSecondsMax: Double
    ) -> Verdict {
        if let halfFrame, now - halfFrame.since >= TimeAmount(.seconds(callSecondsMax)) { return .halfFrame }
        guard unwrittenBytes > 0 else {
            unread = nil
            return .ok
        }
        let writtenBytes = handedBytes - unwrittenBytes
        guard let unread, writtenBytes - unread.writtenBytes < Self.progressBytesMin else {
            unread = (writtenBytes, now)
            return .ok
        }
        return now - unread.since >= TimeAmount(.seconds(stalledSecondsMax)) ? .stalled : .ok
    }
}

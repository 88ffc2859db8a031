internal import NIOCore
internal import Varlink

/// What a connection has to be watched for by the clock: half a call, unread replies, a refused peer that makes no call.
struct ConnectionWatch {
    /// What the clock says of a peer.
    enum Verdict {
        case patience
        /// Its call is not whole, or as a refused one it has made none.
        case halfFrame
        /// It reads nothing, or next to nothing.
        case stalled
    }

    /// Minimum number of bytes that a peer must read within its time while more waits.
    ///
    /// A slower peer could keep old states in memory for hours. Linux tells that there is room again only when most of a socket's buffer was read, so a smaller number would mean nothing.
    private static let progressBytesMin = 256 << 10

    /// Bytes that were handed to the channel.
    var handedBytes = 0

    private var halfFrame: (number: UInt64, since: NIODeadline)?
    private var unread: (writtenBytes: Int, since: NIODeadline)?
    private var refusedSince: NIODeadline?

    /// Whether there is anything to watch for.
    var isNeeded: Bool { halfFrame != nil || unread != nil || refusedSince != nil }

    mutating func refused(at now: NIODeadline) {
        refusedSince = now
    }

    /// No more calls are read: from here on, the peer can be late only with reading.
    mutating func callsEnded() {
        halfFrame = nil
        refusedSince = nil
    }

    /// Takes note of what is pending; true when the clock has to be watched.
    mutating func note(halfFrame number: UInt64?, unwrittenBytes: Int) -> Bool {
        if number != halfFrame?.number { halfFrame = number.map { ($0, .now()) } }
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
        let callTime = TimeAmount(seconds: callSecondsMax)
        if let since = refusedSince ?? halfFrame?.since, now - since >= callTime { return .halfFrame }
        guard unwrittenBytes > 0 else {
            unread = nil
            return .patience
        }
        let writtenBytes = handedBytes - unwrittenBytes
        guard let unread, writtenBytes - unread.writtenBytes < Self.progressBytesMin else {
            unread = (writtenBytes, now)
            return .patience
        }
        return now - unread.since >= TimeAmount(seconds: stalledSecondsMax) ? .stalled : .patience
    }
}

extension TimeAmount {
    /// A time in seconds and parts of one.
    init(seconds: Double) {
        self = .nanoseconds(Int64(seconds * 1e9))
    }
}

/// What a call may cost before it is given up.
public struct WebLimits: Sendable, Equatable {
    /// From the first byte sent to the last one read, redirections included.
    public var timeMax: Duration
    /// The largest answer, in bytes.
    public var bodyBytesMax: Int
    /// The setting of that size, for the sentence about an answer that has more.
    public var bodyBytesSetting = "TODOD_HTTP_BYTES_MAX"
    /// How many redirections are followed.
    public var redirectsMax: Int

    /// Sets the limits; left out: 20 seconds, 4 MiB, 5 redirections.
    public init(timeMax: Duration = .seconds(20), bodyBytesMax: Int = 4 << 20, redirectsMax: Int = 5) {
        self.timeMax = timeMax
        self.bodyBytesMax = bodyBytesMax
        self.redirectsMax = redirectsMax
    }
}

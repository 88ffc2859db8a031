/// What a call may cost before it is given up.
public struct WebLimits: Sendable, Equatable {
    /// Seconds that a call may take where nobody chose another time.
    public static let secondsDefault = 20
    /// The largest answer where nobody chose another size, in bytes.
    public static let bodyBytesDefault = 4 << 20

    /// From the first byte sent to the last one read, redirections included.
    public var timeMax: Duration
    /// The largest answer, in bytes.
    public var bodyBytesMax: Int
    /// The setting of that size, for the sentence about an answer that has more; nil: nobody can choose it.
    public var bodyBytesSetting: String?
    /// How many redirections are followed.
    public var redirectsMax: Int

    /// Sets the limits; left out: the defaults, and 5 redirections.
    public init(
        timeMax: Duration = .seconds(WebLimits.secondsDefault), bodyBytesMax: Int = WebLimits.bodyBytesDefault,
        bodyBytesSetting: String? = nil, redirectsMax: Int = 5
    ) {
        self.timeMax = timeMax
        self.bodyBytesMax = bodyBytesMax
        self.bodyBytesSetting = bodyBytesSetting
        self.redirectsMax = redirectsMax
    }
}

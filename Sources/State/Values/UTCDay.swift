/// Days in UTC, as instants count them.
public enum UTCDay {
    /// How long one takes, in microseconds.
    public static let microseconds: Int64 = 86_400_000_000

    /// How many days after 1 January 1970 an instant lies, given in microseconds since that began; negative before.
    public static func number(of time: Int64) -> Int64 { time >= 0 ? time / microseconds : (time + 1) / microseconds - 1 }
}

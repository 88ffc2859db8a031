public enum UTCDay {
    /// The length of a day in microseconds.
    public static let microseconds: Int64 = 86_400_000_000

    /// Returns the number of days since 1 January 1970 for a Unix time in microseconds; negative before that day.
    public static func number(of time: Int64) -> Int64 { time >= 0 ? time / microseconds : (time + 1) / microseconds - 1 }
}

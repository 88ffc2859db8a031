/// Words that denote or begin a point in time; they are reserved: a bookmark, for example, can't have such a name.
public enum MomentWords {
    /// Named days as offsets from today.
    public static let days = ["today": 0, "tomorrow": 1, "yesterday": -1]
    /// Named times of day in seconds.
    public static let clocks = ["noon": 43_200, "midnight": 0]
    public static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let others: Set = [
        "start", "now", "head", "base", "ago", "last", "next", "at", "tonight", "eod", "eow", "eom", "eoy",
    ]

    /// Whether a lower-case word is reserved; weekdays may be abbreviated to three letters.
    public static func contains(_ word: String) -> Bool {
        others.contains(word) || days.keys.contains(word) || clocks.keys.contains(word) || weekday(word) != nil
    }

    /// Returns the index of a lower-case weekday, 0 for `sunday` or `sun`; nil for any other word.
    public static func weekday(_ word: some StringProtocol) -> Int? { weekdays.firstIndex { isShortened(word, from: $0) } }

    /// Whether a lower-case word is a name or an abbreviation of it with at least three letters.
    public static func isShortened(_ word: some StringProtocol, from name: String) -> Bool {
        word.utf8.count >= 3 && name.lowercased().hasPrefix(word)
    }
}

public enum UTCDay {
    public static let microseconds: Int64 = 86_400_000_000

    /// Returns the number of days since 1 January 1970 for a Unix time in microseconds; negative before that day.
    public static func number(of time: Int64) -> Int64 { time >= 0 ? time / microseconds : (time + 1) / microseconds - 1 }
}

/// Words that stand for moments in time, or begin one: nothing else is called so, such as a bookmark.
public enum MomentWords {
    /// Days that are named from today: how many days later they are.
    public static let days = ["today": 0, "tomorrow": 1, "yesterday": -1]
    /// Times of day that have a name: the second of the day.
    public static let clocks = ["noon": 43_200, "midnight": 0]
    /// The days of the week, as they are shown; the first is Sunday.
    public static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let others: Set = [
        "start", "now", "head", "base", "ago", "last", "next", "at", "tonight", "eod", "eow", "eom", "eoy",
    ]

    /// Whether a word is one of them, its letters in lower case; a weekday may be shortened to three letters.
    public static func contains(_ word: String) -> Bool {
        others.contains(word) || days.keys.contains(word) || clocks.keys.contains(word) || weekday(word) != nil
    }

    /// 0 for `sunday` or `sun`, its letters in lower case; `nil` for what is no weekday.
    public static func weekday(_ word: some StringProtocol) -> Int? { weekdays.firstIndex { isShortened(word, from: $0) } }

    /// Whether a word, its letters in lower case, is a name or the first three letters of it or more.
    public static func isShortened(_ word: some StringProtocol, from name: String) -> Bool {
        word.utf8.count >= 3 && name.lowercased().hasPrefix(word)
    }
}

/// Recognizes texts that look like a date or time that doesn't exist, so that a caller can reject them instead of using them as text.
extension DateReader {
    // A leap year has every possible day.
    private static let leapYear = 2028

    /// Whether the words name a day that its month doesn't have, such as `31 feb`, `29 feb 2027`, `31.11.` or `2026-02-30`.
    public static func isImpossibleDay(_ words: [String]) -> Bool {
        let words = words.map { $0.lowercased()[...] }
        if words.count == 1 { return isImpossibleNumber(words[0]) }
        guard (2...3).contains(words.count),
            let (day, month) = pair(DateWords.dayNumber(words[0]), DateWords.month(words[1]))
                ?? pair(DateWords.dayNumber(words[1]), DateWords.month(words[0])),
            (1...31).contains(day)
        else { return false }
        let year = words.count == 2 ? Self.leapYear : DateWords.number(words[2], digits: 4...4)
        return year.map { Day(year: $0, month: month, day: day) == nil } ?? false
    }

    /// Recognizes `2026-02-30`, and `31.11.` with or without a year.
    private static func isImpossibleNumber(_ word: Substring) -> Bool {
        let fields = word.split(separator: "-", omittingEmptySubsequences: false)
        if fields.map(\.utf8.count) == [4, 2, 2] {
            return fields.joined().utf8.allSatisfy(DateWords.isDigit) && Day(iso: word) == nil
        }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let day = DateWords.number(parts[0], digits: 1...2),
            let month = DateWords.number(parts[1], digits: 1...2), (1...31).contains(day), (1...12).contains(month)
        else { return false }
        let year = parts[2].isEmpty ? Self.leapYear : DateWords.number(parts[2], digits: 4...4)
        return year.map { Day(year: $0, month: month, day: day) == nil } ?? false
    }

    /// Whether a word looks like `14:30` or `9am` but is not a valid time.
    public static func isImpossibleTime(_ word: String) -> Bool {
        let half = word.lowercased()
        if half.hasSuffix("am") || half.hasSuffix("pm"), DateWords.number(half.dropLast(2), digits: 1...2) != nil {
            return ClockReading.minute(of: half[...]) == nil
        }
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, DateWords.number(parts[0], digits: 1...2) != nil, DateWords.number(parts[1], digits: 2...2) != nil
        else { return false }
        return ClockReading.minute(of: word[...]) == nil
    }
}

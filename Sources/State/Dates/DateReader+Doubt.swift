/// What is written as days and times are, and is none: who reads a text that may hold other things as well can say so.
extension DateReader {
    /// Whether words are a day of a month that does not have it, such as `31 feb`, or `29 feb 2027`.
    public static func isImpossibleDay(_ words: [String]) -> Bool {
        let words = words.map { $0.lowercased()[...] }
        guard (2...3).contains(words.count),
            let (day, month) = pair(DateWords.dayNumber(words[0]), DateWords.month(words[1]))
                ?? pair(DateWords.dayNumber(words[1]), DateWords.month(words[0])),
            (1...31).contains(day)
        else { return false }
        // 2028 is a leap year.
        let year = words.count == 2 ? 2028 : DateWords.number(words[2], digits: 4...4)
        return year.map { Day(year: $0, month: month, day: day) == nil } ?? false
    }

    /// Whether a word has the form of `14:30`, and no clock shows that.
    public static func isImpossibleTime(_ word: String) -> Bool {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, DateWords.number(parts[0], digits: 1...2) != nil, DateWords.number(parts[1], digits: 2...2) != nil
        else { return false }
        return ClockReading.minute(of: word[...]) == nil
    }
}

extension DueParser {
    /// The words of a date in lower case; the T of `2026-12-01T14:30` parts words, too.
    static func words(_ text: String) -> [Substring] {
        text.lowercased().split { $0.isWhitespace || $0 == "," }.flatMap { word -> [Substring] in
            let bytes = Array(word.utf8)
            guard bytes.count > 11, bytes[10] == UInt8(ascii: "t"), bytes[0..<4].allSatisfy(isDigit) else { return [word] }
            return [word.prefix(10), word.dropFirst(11)]
        }
    }

    /// `2026-12-01`, if there is such a day.
    static func isoDay(_ word: Substring) -> Day? {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let year = number(parts[0], digits: 4...4), let month = number(parts[1], digits: 2...2),
            let day = number(parts[2], digits: 2...2)
        else { return nil }
        return Day(year: year, month: month, day: day)
    }

    /// The minute of the day of `14:30`, `9:00`, `9am`, `9:15pm`.
    static func clock(_ word: Substring) -> Int? {
        var word = word
        var half: Int?
        if word.hasSuffix("am") || word.hasSuffix("pm") {
            half = word.hasSuffix("am") ? 0 : 12
            word = word.dropLast(2)
        }
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || (parts.count == 1 && half != nil), var hour = number(parts[0], digits: 1...2) else {
            return nil
        }
        var minute = 0
        if parts.count == 2 {
            guard let read = number(parts[1], digits: 2...2) else { return nil }
            minute = read
        }
        if let half {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + half
        }
        guard hour < 24, minute < 60 else { return nil }
        return hour * 60 + minute
    }

    /// 0 for `sunday` or `sun`; a name may be shortened to three letters or more.
    static func weekday(_ word: Substring) -> Int? { Day.weekdayNames.firstIndex { isShortened(word, from: $0) } }

    /// 1 for `january` or `jan`.
    static func month(_ word: Substring) -> Int? { Day.monthNames.firstIndex { isShortened(word, from: $0) }.map { $0 + 1 } }

    /// `3`, or `a`, `an`, `one`.
    static func count(_ word: Substring) -> Int? { ["a", "an", "one"].contains(word) ? 1 : number(word, digits: 1...7) }

    static func number(_ word: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(word.utf8.count), word.utf8.allSatisfy(isDigit) else { return nil }
        return Int(word)
    }

    private static func isShortened(_ word: Substring, from name: String) -> Bool {
        word.utf8.count >= 3 && name.lowercased().hasPrefix(word)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

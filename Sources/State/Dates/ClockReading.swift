import ChronicleValues

/// A parsed time of day and its precision: `14:30`, `14:30:05`, `at 9:00`, `9am`, `noon`, `02:30:05.123456+01:00`.
public struct ClockReading: Sendable, Equatable {
    public var second: Int
    /// The fraction of the second in microseconds.
    public var microsecond: Int64 = 0
    /// The precision in microseconds: a minute, a second or a fraction of a second.
    public var length: Int64 = 60_000_000
    /// The UTC offset in seconds, positive to the east; nil if none was given.
    public var offset: Int?

    init(second: Int) { self.second = second }

    /// Parses words that form a time of day as a whole.
    init?(_ words: ArraySlice<Substring>) {
        let joined = (words.count > 1 && words.first == "at" ? words.dropFirst() : words).joined()
        if let named = MomentWords.clocks[joined] {
            second = named
            return
        }
        let end = joined.firstIndex { "+-z".contains($0) } ?? joined.endIndex
        let parts = joined[..<end].split(separator: ":", omittingEmptySubsequences: false)
        let minutes = parts.prefix(2).joined(separator: ":")
        guard parts.count <= 3, let minute = Self.minute(of: Substring(minutes)) else { return nil }
        second = minute * 60
        if parts.count == 3 { guard add(seconds: parts[2]) else { return nil } }
        if end < joined.endIndex {
            guard parts.count > 1, let offset = Self.offset(joined[end...]) else { return nil }
            self.offset = offset
        }
    }

    /// Whether it is more precise than a minute.
    public var hasSeconds: Bool { length < 60_000_000 }

    /// Returns the minute of the day for `14:30`, `9:00`, `9am` or `9:15pm`.
    static func minute(of word: Substring) -> Int? {
        var word = word
        var half: Int?
        if word.hasSuffix("am") || word.hasSuffix("pm") {
            half = word.hasSuffix("am") ? 0 : 12
            word = word.dropLast(2)
        }
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || (parts.count == 1 && half != nil), var hour = DateWords.number(parts[0], digits: 1...2) else {
            return nil
        }
        var minute = 0
        if parts.count == 2 {
            guard let read = DateWords.number(parts[1], digits: 2...2) else { return nil }
            minute = read
        }
        if let half {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + half
        }
        guard hour < 24, minute < 60 else { return nil }
        return hour * 60 + minute
    }

    /// Parses `05`, `05.123` or `05.123456`; a finer fraction is truncated to microseconds.
    private mutating func add(seconds word: Substring) -> Bool {
        let halves = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = DateWords.number(halves[0], digits: 2...2), number < 60 else { return false }
        second += number
        length = 1_000_000
        guard halves.count == 2 else { return true }
        guard DateWords.number(halves[1], digits: 1...9) != nil else { return false }
        for digit in halves[1].utf8.prefix(6) {
            length /= 10
            microsecond += Int64(digit - UInt8(ascii: "0")) * length
        }
        return true
    }

    /// Parses `z`, `+01:00`, `+0100` or `-03` into seconds.
    private static func offset(_ word: Substring) -> Int? {
        if word == "z" { return 0 }
        let digits = word.dropFirst()
        let parts = digits.split(separator: ":", omittingEmptySubsequences: false)
        let (hours, minutes): (Substring, Substring)
        switch (parts.count, digits.utf8.count) {
        case (2, _): (hours, minutes) = (parts[0], parts[1])
        case (1, 4): (hours, minutes) = (digits.prefix(2), digits.dropFirst(2))
        case (1, 2): (hours, minutes) = (digits, "00")
        default: return nil
        }
        guard let hour = DateWords.number(hours, digits: 2...2), let minute = DateWords.number(minutes, digits: 2...2),
            hour < 24, minute < 60
        else { return nil }
        let seconds = hour * 3600 + minute * 60
        return word.hasPrefix("-") ? -seconds : seconds
    }
}

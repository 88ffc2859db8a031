import ChronicleValues

public struct DateMistake: Error, Equatable {
    /// A sentence that quotes the input as it was written.
    public var message: String

    public init(message: String) { self.message = message }
}

public enum DateWords {
    /// Splits a text into lower-case words; the T of `2026-12-01T14:30` is also a separator.
    public static func words(of text: String) -> [Substring] {
        text.lowercased().split { $0.isWhitespace || $0 == "," }.flatMap { word -> [Substring] in
            let bytes = Array(word.utf8)
            guard bytes.count > 11, bytes[10] == UInt8(ascii: "t"), bytes[0..<4].allSatisfy(isDigit) else { return [word] }
            return [word.prefix(10), word.dropFirst(11)]
        }
    }

    /// Returns 1 for `january` or `jan`.
    static func month(_ word: Substring) -> Int? {
        Day.monthNames.firstIndex { MomentWords.isShortened(word, from: $0) }.map { $0 + 1 }
    }

    /// Parses `3`, or 1 from `a`, `an` or `one`.
    static func count(_ word: Substring) -> Int? { ["a", "an", "one"].contains(word) ? 1 : number(word, digits: 1...7) }

    /// Parses the day of a month: `1`, `1.` or `1st`.
    static func dayNumber(_ word: Substring) -> Int? {
        number(word.hasSuffix(".") ? word.dropLast() : word, digits: 1...2) ?? ordinal(word)
    }

    /// Parses `1st` as 1 and `12th` as 12.
    static func ordinal(_ word: Substring) -> Int? {
        ["st", "nd", "rd", "th"].contains(word.suffix(2)) ? number(word.dropLast(2), digits: 1...2) : nil
    }

    /// Parses a number with the given count of ASCII digits.
    static func number(_ word: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(word.utf8.count), word.utf8.allSatisfy(isDigit) else { return nil }
        return Int(word)
    }

    public static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

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

    var hasSeconds: Bool { length < 60_000_000 }

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

/// A calendar or clock offset in natural language: `3 days`, `3d`, `an hour`, `10 min`.
public struct TimeShift: Sendable, Equatable {
    /// The raw value is the singular.
    public enum Unit: String, Sendable {
        case second, minute, hour, day, week, month, year
    }

    /// The number of units; negative for the past.
    public var count: Int
    public var unit: Unit

    /// Maximum number of units that can be entered.
    public static let countMax = 1_000_000

    public init(count: Int, unit: Unit) { (self.count, self.unit) = (count, unit) }

    /// Parses an offset such as `3 days` as a whole; nil for any other text.
    public init?(_ text: String) {
        var words = DateWords.words(of: text)[...]
        guard let shift = try? TimeShift(taking: &words), words.isEmpty else { return nil }
        self = shift
    }

    /// Consumes a number and its unit, in one word or two; nil if the words don't begin with them.
    /// - Throws: a mistake for `3m`, which could be minutes or months.
    init?(taking words: inout ArraySlice<Substring>) throws(DateMistake) {
        guard let first = words.first else { return nil }
        let digits = first.prefix { $0.isASCII && $0.isNumber }
        let isOneWord = !digits.isEmpty && digits.endIndex < first.endIndex
        guard let name = isOneWord ? first[digits.endIndex...] : words.dropFirst().first,
            let count = DateWords.count(isOneWord ? digits : first), count <= Self.countMax
        else { return nil }
        guard name != "m" else {
            throw DateMistake(
                message: "“\(count)m” may be minutes or months. Write \(count)min, \(count)mo or “\(count) months”.")
        }
        guard let unit = Unit(name) else { return nil }
        self.init(count: count, unit: unit)
        words.removeFirst(isOneWord ? 1 : 2)
    }

    /// The duration in seconds; nil for a calendar unit.
    public var seconds: Int64? {
        switch unit {
        case .second: Int64(count)
        case .minute: Int64(count) * 60
        case .hour: Int64(count) * 3600
        case .day, .week, .month, .year: nil
        }
    }

    /// Returns the day after the offset; nil for a unit of clock time, or outside the years 1 to 9999.
    public func day(after day: Day) -> Day? {
        let found: Day? =
            switch unit {
            case .second, .minute, .hour: nil
            case .day: day.adding(days: count)
            case .week: day.adding(days: count * 7)
            case .month: day.adding(months: count)
            case .year: day.adding(months: count * 12)
            }
        return found.flatMap { (1...9999).contains($0.year) ? $0 : nil }
    }
}

extension TimeShift.Unit {
    /// Parses a lower-case word.
    public init?(_ word: Substring) {
        switch word {
        case "sec", "secs", "s": self = .second
        case "min", "mins": self = .minute
        case "hr", "hrs", "h": self = .hour
        case "d": self = .day
        case "w": self = .week
        case "mo": self = .month
        case "y": self = .year
        default: self.init(rawValue: String(word.hasSuffix("s") ? word.dropLast() : word))
        }
    }
}

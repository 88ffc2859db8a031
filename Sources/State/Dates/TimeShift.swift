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
    ///
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

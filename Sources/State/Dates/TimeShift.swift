/// So much later or earlier, as people write it: `3 days`, `3d`, `an hour`, `10 min`.
public struct TimeShift: Sendable, Equatable {
    /// What is counted.
    public enum Unit: Sendable {
        case second
        case minute
        case hour
        case day
        case week
        case month
        case year
    }

    /// How many units later; below zero, earlier.
    public var count: Int
    /// What is counted.
    public var unit: Unit

    /// How many units a person can name.
    public static let countMax = 1_000_000

    /// So many units later; below zero, earlier.
    public init(count: Int, unit: Unit) {
        self.count = count
        self.unit = unit
    }

    /// Reads an amount and nothing else, such as `3 days`; `nil` of what is none.
    public init?(_ text: String) {
        var words = DateWords.words(of: text)[...]
        guard let shift = try? TimeShift(taking: &words), words.isEmpty else { return nil }
        self = shift
    }

    /// Takes a number and its unit from the beginning of some words, in two words or in one; `nil` if they begin with none.
    ///
    /// - Throws: a mistake of `3m`, which may be minutes or months.
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

    /// The seconds that pass; `nil` of a unit that is counted on the calendar.
    public var seconds: Int64? {
        switch unit {
        case .second: Int64(count)
        case .minute: Int64(count) * 60
        case .hour: Int64(count) * 3600
        case .day, .week, .month, .year: nil
        }
    }

    /// The day so much after another one; `nil` of a unit that passes on the clock, or beyond the years 1 to 9999.
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
    /// Reads a word in lower case.
    public init?(_ word: Substring) {
        switch word {
        case "second", "seconds", "sec", "secs", "s": self = .second
        case "minute", "minutes", "min", "mins": self = .minute
        case "hour", "hours", "hr", "hrs", "h": self = .hour
        case "day", "days", "d": self = .day
        case "week", "weeks", "w": self = .week
        case "month", "months", "mo": self = .month
        case "year", "years", "y": self = .year
        default: return nil
        }
    }
}

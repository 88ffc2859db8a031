/// So much later or earlier, as people write it: `3 days`, `an hour`, `10 min`.
struct TimeShift: Sendable, Equatable {
    enum Unit: Sendable {
        case second
        case minute
        case hour
        case day
        case week
        case month
        case year
    }

    /// How many units later; below zero, earlier.
    var count: Int
    var unit: Unit

    static let countMax = 1_000_000

    init(count: Int, unit: Unit) {
        self.count = count
        self.unit = unit
    }

    /// Reads the word of a number and that of a unit.
    init?(_ count: Substring, _ unit: Substring, _ direction: DayReader.Direction) {
        guard let count = DateWords.count(count), count <= Self.countMax, let unit = Unit(unit) else { return nil }
        self.init(count: direction.rawValue * count, unit: unit)
    }

    /// The seconds that pass; `nil` of a unit that is counted on the calendar.
    var seconds: Int64? {
        switch unit {
        case .second: Int64(count)
        case .minute: Int64(count) * 60
        case .hour: Int64(count) * 3600
        case .day, .week, .month, .year: nil
        }
    }

    /// The day so much after another one; `nil` of a unit that passes on the clock, or beyond the years that there are.
    func day(after day: Day) -> Day? {
        switch unit {
        case .second, .minute, .hour: nil
        case .day: day.adding(days: count)
        case .week: day.adding(days: count * 7)
        case .month: day.adding(months: count)
        case .year: day.adding(months: count * 12)
        }
    }
}

extension TimeShift.Unit {
    /// Reads a word in lower case.
    init?(_ word: Substring) {
        switch word {
        case "second", "seconds", "sec", "s": self = .second
        case "minute", "minutes", "min": self = .minute
        case "hour", "hours", "h": self = .hour
        case "day", "days", "d": self = .day
        case "week", "weeks", "w": self = .week
        case "month", "months": self = .month
        case "year", "years": self = .year
        default: return nil
        }
    }
}

import ChronicleValues

/// A day of the civil (Gregorian) calendar, without a time zone.
public struct Day: Sendable, Hashable, Comparable {
    /// The year; 1 to 9999 for a parsed day.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day of the month, starting at 1.
    public let day: Int

    static let weekdayNames = MomentWords.weekdays
    static let monthNames = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
    ]

    /// Returns nil if the day doesn't exist or the year is outside 1 to 9999.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= Day.length(ofMonth: month, year: year) else {
            return nil
        }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Parses `2026-12-01`; nil if there is no such day.
    public init?(iso word: Substring) {
        // Parses bytes for speed, because loading all todos parses one date per todo.
        let bytes = word.utf8Span.span
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        func number(_ places: Range<Int>) -> Int? {
            var number = 0
            for place in places {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) else { return nil }
                number = number * 10 + Int(bytes[place] - UInt8(ascii: "0"))
            }
            return number
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Converts a number of days since 1 January 1970, counting years from March so that the leap day is the last day.
    public init(number: Int) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1 January 1970.
    public var number: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The weekday, 0 for Sunday.
    public var weekday: Int { ((number + 4) % 7 + 7) % 7 }

    public func adding(days: Int) -> Day { Day(number: number + days) }

    /// Returns the same day of another month, or its last day if it is shorter; nil outside the years 1 to 9999.
    public func adding(months: Int) -> Day? {
        let index = year * 12 + month - 1 + months
        let (year, month) = (index / 12, index % 12 + 1)
        guard (1...9999).contains(year) else { return nil }
        return Day(year: year, month: month, day: min(day, Day.length(ofMonth: month, year: year)))
    }

    static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    public static func < (left: Day, right: Day) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// The ISO 8601 form, `2026-12-01`.
    public var text: String {
        "\(DateWords.padded(year, to: 4))-\(DateWords.padded(month, to: 2))-\(DateWords.padded(day, to: 2))"
    }
    /// `Tuesday 1 December 2026`.
    public var spelled: String { "\(Day.weekdayNames[weekday]) \(day) \(Day.monthNames[month - 1]) \(year)" }
    /// `Tue 1 Dec 2026`.
    public var abbreviated: String {
        "\(Day.weekdayNames[weekday].prefix(3)) \(day) \(Day.monthNames[month - 1].prefix(3)) \(year)"
    }
}

import Dates

enum DateStyle: String, CaseIterable {
    case day
    case iso
    case us

    static let user = Settings.user.dateStyle

    /// A full day: `Tuesday 1 December 2026`.
    func long(_ day: Day) -> String {
        switch self {
        case .day: day.spelled
        case .iso: day.text
        case .us: Self.american(day.spelled)
        }
    }

    /// A short day: `Tue 1 Dec 2026`.
    func short(_ day: Day) -> String {
        switch self {
        case .day: day.abbreviated
        case .iso: day.text
        case .us: Self.american(day.abbreviated)
        }
    }

    /// A short day without the year, unless the style is numeric: `Tue 1 Dec`.
    func withoutYear(_ day: Day) -> String {
        switch self {
        case .day, .us:
            let words = short(day).split(separator: " ").dropLast().joined(separator: " ")
            return words.hasSuffix(",") ? String(words.dropLast()) : words
        case .iso: return day.text
        }
    }

    /// Reorders `Tuesday 1 December 2026` to `Tuesday, December 1, 2026`.
    private static func american(_ text: String) -> String {
        let words = text.split(separator: " ")
        return words.count == 4 ? "\(words[0]), \(words[2]) \(words[1]), \(words[3])" : text
    }
}

extension Day {
    var long: String { DateStyle.user.long(self) }
    var short: String { DateStyle.user.short(self) }

    /// The shortest form: without the year, if it is the current year or the day is within the next twelve months.
    func brief(on today: Day) -> String {
        let isNear = self > today && today.adding(months: 12).map { self < $0 } == true
        return year == today.year || isNear ? DateStyle.user.withoutYear(self) : short
    }
}

extension Due {
    var long: String { minute.map { "\(day.long) \(Due.clock($0))" } ?? day.long }
    var short: String { minute.map { "\(day.short) \(Due.clock($0))" } ?? day.short }
    func brief(on today: Day) -> String {
        let day = day.brief(on: today)
        return minute.map { "\(day) \(Due.clock($0))" } ?? day
    }
}

extension Moment {
    var long: String { "\(day.long) \(Due.clock(second / 60))" }
}

import Dates

/// How dates are written for a person; what is read has all forms.
enum DateStyle: String, CaseIterable {
    /// `Tue 1 Dec 2026`.
    case day
    /// `2026-12-01`.
    case iso
    /// `Tue, Dec 1, 2026`.
    case us

    /// What the person wants.
    static let user = Settings.user.dateStyle

    /// A day in full: `Tuesday 1 December 2026`.
    func long(_ day: Day) -> String {
        switch self {
        case .day: day.spelled
        case .iso: day.text
        case .us: Self.american(day.spelled)
        }
    }

    /// A day where there is little room: `Tue 1 Dec 2026`.
    func short(_ day: Day) -> String {
        switch self {
        case .day: day.abbreviated
        case .iso: day.text
        case .us: Self.american(day.abbreviated)
        }
    }

    /// A day without its year, unless it is written in numbers: `Tue 1 Dec`.
    func withoutYear(_ day: Day) -> String {
        switch self {
        case .day, .us:
            let words = short(day).split(separator: " ").dropLast().joined(separator: " ")
            return words.hasSuffix(",") ? String(words.dropLast()) : words
        case .iso: return day.text
        }
    }

    /// `Tuesday 1 December 2026` as `Tuesday, December 1, 2026`.
    private static func american(_ text: String) -> String {
        let words = text.split(separator: " ")
        return words.count == 4 ? "\(words[0]), \(words[2]) \(words[1]), \(words[3])" : text
    }
}

extension Day {
    /// In full, as the person wants it.
    var long: String { DateStyle.user.long(self) }
    /// Where there is little room, as the person wants it.
    var short: String { DateStyle.user.short(self) }

    /// Where there is least room: without the year if it is that of today, or if the day comes within the next twelve months.
    func brief(on today: Day) -> String {
        let isNear = self > today && today.adding(months: 12).map { self < $0 } == true
        return year == today.year || isNear ? DateStyle.user.withoutYear(self) : short
    }
}

extension Due {
    /// In full, as the person wants it.
    var long: String { minute.map { "\(day.long) \(Due.clock($0))" } ?? day.long }
    /// Where there is little room, as the person wants it.
    var short: String { minute.map { "\(day.short) \(Due.clock($0))" } ?? day.short }
    /// Where there is least room, as the person wants it.
    func brief(on today: Day) -> String {
        let day = day.brief(on: today)
        return minute.map { "\(day) \(Due.clock($0))" } ?? day
    }
}

extension Moment {
    /// In full, as the person wants it.
    var long: String { "\(day.long) \(Due.clock(second / 60))" }
}

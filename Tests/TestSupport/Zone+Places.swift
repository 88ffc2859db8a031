public import Dates

extension Zone {
    /// Berlin with the rules since 1996: summer time from the last Sunday of March to the last Sunday of October, at 1:00 UTC.
    public static let berlin = Zone { seconds in
        let year = Day(number: Int(seconds - 3600) / 86_400).year
        guard let march = Day(year: year, month: 3, day: 31), let october = Day(year: year, month: 10, day: 31) else { return 0 }
        let start = (march.number - march.weekday) * 86_400 + 3600
        let end = (october.number - october.weekday) * 86_400 + 3600
        return (start..<end).contains(Int(seconds)) ? 7200 : 3600
    }

    /// New York with the rules since 2007: summer time from the second Sunday of March to the first Sunday of November, at 2:00 local time.
    public static let newYork = Zone { seconds in
        let year = Day(number: Int(seconds - 18_000) / 86_400).year
        guard let march = Day(year: year, month: 3, day: 14), let november = Day(year: year, month: 11, day: 7) else { return 0 }
        let start = (march.number - march.weekday) * 86_400 + 7 * 3600
        let end = (november.number - november.weekday) * 86_400 + 6 * 3600
        return (start..<end).contains(Int(seconds)) ? -14_400 : -18_000
    }
}

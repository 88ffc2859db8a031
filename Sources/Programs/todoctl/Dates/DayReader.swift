import Reducing

/// Reads the days that people name: `today`, `friday`, `2026-12-01`, `1 december`, `tuesday 1 december 2026`.
///
/// A weekday is the nearest one in the direction, never today. A day and month without a year is the nearest one, today included.
struct DayReader: Sendable {
    /// Where a day lies that the words leave open.
    enum Direction: Int {
        case past = -1
        case future = 1
    }

    var today: Day
    var direction: Direction

    /// The day that the first words name, which are taken away; `nil` if they name none.
    func day(_ words: inout [Substring]) throws(DateMistake) -> Day? {
        guard let first = words.first else { return nil }
        if let days = MomentWords.days[String(first)] {
            words.removeFirst()
            return today.adding(days: days)
        }
        if let weekday = MomentWords.weekday(first) {
            words.removeFirst()
            guard let named = try namedDay(&words) else { return nearest(weekday: weekday) }
            guard named.weekday == weekday else {
                throw DateMistake(
                    message: "\(named.text) is a \(Day.weekdayNames[named.weekday]), not a \(Day.weekdayNames[weekday]).")
            }
            return named
        }
        if first.utf8.count == 10, first.utf8.contains(UInt8(ascii: "-")) {
            guard let day = Day(iso: first) else {
                throw DateMistake(message: "There is no day \(Visible.text(String(first))).")
            }
            words.removeFirst()
            return day
        }
        return try namedDay(&words)
    }

    /// The nearest such day of the week, 0 is Sunday; never today.
    func nearest(weekday: Int) -> Day {
        let sign = direction.rawValue
        return today.adding(days: sign * ((sign * (weekday - today.weekday) + 6) % 7 + 1))
    }

    /// `1 december 2026`, `dec 1`; the words are taken away.
    private func namedDay(_ words: inout [Substring]) throws(DateMistake) -> Day? {
        guard words.count >= 2 else { return nil }
        let number: Int
        let month: Int
        if let first = DateWords.number(words[0], digits: 1...2), let second = DateWords.month(words[1]) {
            (number, month) = (first, second)
        } else if let first = DateWords.month(words[0]), let second = DateWords.number(words[1], digits: 1...2) {
            (number, month) = (second, first)
        } else {
            return nil
        }
        words.removeFirst(2)
        var found: Day?
        if let first = words.first, let year = DateWords.number(first, digits: 4...4) {
            words.removeFirst()
            found = Day(year: year, month: month, day: number)
        } else {
            found = nearest(month: month, day: number)
        }
        guard let found else { throw DateMistake(message: "There is no day \(number) \(Day.monthNames[month - 1]).") }
        return found
    }

    /// The nearest such day of a year, today included.
    private func nearest(month: Int, day: Int) -> Day? {
        // Within eight years there is a 29 February, even around a century without one.
        (0...8).lazy.compactMap { Day(year: today.year + direction.rawValue * $0, month: month, day: day) }
            .first { direction == .future ? $0 >= today : $0 <= today }
    }
}

import Values

/// Understands days and moments as people write them: `friday`, `1.12.`, `tomorrow noon`, `in 30 min`, `last friday of december`.
///
/// It has no clock, no calendar but the civil one, and no zone of its own: all of that comes in. What the words leave open lies in one
/// direction. A weekday is the nearest one, never today unless `this` says so; a day without a year or a month the nearest one, today included; a time without a day
/// the nearest one. `next` and `in` lead to the future and `last` and `ago` to the past, whatever the direction.
public struct DateReader: Sendable {
    /// Where a day or a time lies that the words leave open.
    public enum Direction: Int, Sendable {
        case past = -1
        case future = 1
    }

    public enum Reading: Sendable, Equatable {
        /// A day as a whole.
        case day(Day)
        case time(Day, ClockReading)
        /// So much later than now; below zero, earlier.
        case shift(TimeShift)
    }

    /// Seconds since 1970.
    public var now: Int64
    /// What calendar and clock say.
    public var zone: Zone
    /// Where what is left open lies.
    public var direction: Direction
    /// The day of the week with which weeks begin, 0 is Sunday.
    public var weekBegin: Int

    /// A reader for one moment and place; weeks begin on Monday, as ISO 8601 has it.
    public init(now: Int64, zone: Zone, direction: Direction, weekBegin: Int = 1) {
        self.now = now
        self.zone = zone
        self.direction = direction
        self.weekBegin = weekBegin
    }

    /// When `tonight` begins: the second of the day, 20:00.
    static let evening = 72_000

    var moment: Moment { zone.moment(at: now) }
    var today: Day { moment.day }

    /// What some words of `DateWords` say as a whole; `nil` if that is no day and no moment.
    ///
    /// - Throws: a mistake, where it is clear what was meant and what is wrong with it.
    public func reading(_ words: [Substring]) throws(DateMistake) -> Reading? {
        if let reading = try shifted(words) { return reading }
        if let day = try endOfDay(words) { return .day(day) }
        var rest = words[...]
        if let day = try day(&rest) {
            if rest.isEmpty { return words.last == "tonight" ? .time(day, ClockReading(second: tonight)) : .day(day) }
            return ClockReading(rest).map { .time(day, $0) }
        }
        if let clock = ClockReading(words[...]) { return .time(try nearest(clock, words), clock) }
        for count in 1..<max(min(words.count, 4), 1) {
            var rest = words.dropFirst(count)
            guard let clock = ClockReading(words.prefix(count)), let day = try day(&rest), rest.isEmpty else { continue }
            return .time(day, clock)
        }
        return nil
    }

    /// `in 30 min`, `3 days ago`, `2w`, `in 3 days noon`.
    private func shifted(_ words: [Substring]) throws(DateMistake) -> Reading? {
        var rest = words[...]
        let isAhead = rest.first == "in"
        if isAhead { rest.removeFirst() }
        guard var shift = try TimeShift(taking: &rest) else { return nil }
        let isBehind = !isAhead && rest.first == "ago"
        if isBehind { rest.removeFirst() }
        shift.count *= isAhead ? 1 : isBehind ? -1 : direction.rawValue
        if rest.isEmpty { return .shift(shift) }
        guard let clock = ClockReading(rest), let day = shift.day(after: today) else { return nil }
        return .time(day, clock)
    }

    private static let dayEnds: [[Substring]] = [
        ["eod"], ["end", "of", "day"], ["end", "of", "the", "day"], ["the", "end", "of", "day"],
        ["the", "end", "of", "the", "day"],
    ]

    /// `eod`, `friday eod`, `end of the day in 3 days`: that day as a whole, which is due at its end.
    private func endOfDay(_ words: [Substring]) throws(DateMistake) -> Day? {
        for end in Self.dayEnds {
            var rest = words[...]
            if rest.starts(with: end) {
                rest.removeFirst(end.count)
            } else if rest.suffix(end.count).elementsEqual(end) {
                rest.removeLast(end.count)
            } else {
                continue
            }
            if rest.isEmpty { return today }
            if case .shift(let shift)? = try shifted(Array(rest)) { return shift.day(after: today) }
            if let found = try day(&rest), rest.isEmpty { return found }
        }
        return nil
    }

    /// The day that the first words name, which are taken away; `nil` if they name none.
    private func day(_ words: inout ArraySlice<Substring>) throws(DateMistake) -> Day? {
        guard let first = words.first else { return nil }
        if let days = first == "tonight" ? 0 : MomentWords.days[String(first)] {
            words.removeFirst()
            return today.adding(days: days)
        }
        if let day = besideToday(&words) { return day }
        if let day = try placedDay(&words) { return day }
        if let weekday = MomentWords.weekday(first) {
            words.removeFirst()
            guard let written = try writtenDay(&words) else { return nearest(weekday: weekday, direction) }
            guard written.weekday == weekday else {
                throw DateMistake(
                    message: "\(written.text) is a \(Day.weekdayNames[written.weekday]), not a \(Day.weekdayNames[weekday]).")
            }
            return written
        }
        if let day = neighbour(&words) { return day }
        return try writtenDay(&words)
    }

    private static let besideTomorrow: [(name: [Substring], days: Int)] = [
        (["day", "after", "tomorrow"], 2), (["day", "before", "yesterday"], -2),
    ]

    /// `day after tomorrow`, `the day before yesterday`.
    private func besideToday(_ words: inout ArraySlice<Substring>) -> Day? {
        let rest = words.first == "the" ? words.dropFirst() : words
        for (name, days) in Self.besideTomorrow where rest.starts(with: name) {
            words = rest.dropFirst(name.count)
            return today.adding(days: days)
        }
        return nil
    }

    /// `next friday`, `last friday`, `this friday`, which may be today; `next month` is the same day of that.
    private func neighbour(_ words: inout ArraySlice<Substring>) -> Day? {
        guard words.count > 1 else { return nil }
        let name = words[words.startIndex + 1]
        if words.first == "this", let weekday = MomentWords.weekday(name) {
            words.removeFirst(2)
            return weekday == today.weekday ? today : nearest(weekday: weekday, direction)
        }
        guard let direction: Direction = ["next": .future, "last": .past][words[words.startIndex]] else { return nil }
        let found =
            MomentWords.weekday(name).map { nearest(weekday: $0, direction) }
            ?? TimeShift.Unit(name).flatMap { TimeShift(count: direction.rawValue, unit: $0).day(after: today) }
        if found != nil { words.removeFirst(2) }
        return found
    }

    /// A day by its number: `2026-12-01`, `1.12.`, `1.12.2026`, `1 december 2026`, `dec 1`.
    private func writtenDay(_ words: inout ArraySlice<Substring>) throws(DateMistake) -> Day? {
        guard let first = words.first else { return nil }
        if first.utf8.count == 10, first.utf8.contains(UInt8(ascii: "-")) {
            guard let day = Day(iso: first) else { throw DateMistake(message: "There is no day \(first).") }
            words.removeFirst()
            return day
        }
        if first.utf8.contains(UInt8(ascii: "/")), first.utf8.allSatisfy({ $0 == UInt8(ascii: "/") || DateWords.isDigit($0) }) {
            throw DateMistake(
                message: "In “\(first)” one country reads the day first, another the month. Write 1.12., “1 dec” or 2026-12-01.")
        }
        let parts = first.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 3, let day = DateWords.number(parts[0], digits: 1...2),
            let month = DateWords.number(parts[1], digits: 1...2)
        {
            guard parts[2].isEmpty || parts[2].utf8.count == 4 else {
                throw DateMistake(
                    message:
                        "Of “\(first)” the year is unclear. Write \(day).\(month)., \(day).\(month).\(today.year) or 2026-12-01.")
            }
            words.removeFirst()
            return try dayOfYear(month, day, year: parts[2].isEmpty ? nil : parts[2])
        }
        guard words.count >= 2 else { return nil }
        let second = words[words.startIndex + 1]
        guard
            let (day, month) = Self.pair(DateWords.dayNumber(first), DateWords.month(second))
                ?? Self.pair(DateWords.dayNumber(second), DateWords.month(first))
        else { return nil }
        words.removeFirst(2)
        let year = words.first.flatMap { DateWords.number($0, digits: 4...4) == nil ? nil : $0 }
        if year != nil { words.removeFirst() }
        return try dayOfYear(month, day, year: year)
    }

    static func pair(_ day: Int?, _ month: Int?) -> (Int, Int)? {
        guard let day, let month else { return nil }
        return (day, month)
    }

    private func dayOfYear(_ month: Int, _ day: Int, year: Substring?) throws(DateMistake) -> Day {
        let found: Day?
        if let year {
            found = DateWords.number(year, digits: 4...4).flatMap { Day(year: $0, month: month, day: day) }
        } else {
            // Within eight years there is a 29 February, even around a century without one.
            found = (0...8).lazy.compactMap { Day(year: today.year + direction.rawValue * $0, month: month, day: day) }
                .first { direction == .future ? $0 >= today : $0 <= today }
        }
        guard let found else {
            guard (1...12).contains(month) else { throw DateMistake(message: "There is no month \(month).") }
            throw DateMistake(message: "There is no day \(day) \(Day.monthNames[month - 1])\(year.map { " \($0)" } ?? "").")
        }
        return found
    }

    /// The nearest such day of the week, 0 is Sunday; never today.
    private func nearest(weekday: Int, _ direction: Direction) -> Day {
        let sign = direction.rawValue
        return today.adding(days: sign * ((sign * (weekday - today.weekday) + 6) % 7 + 1))
    }

    /// The day on which clocks show a time next, or showed it last.
    private func nearest(_ clock: ClockReading, _ words: [Substring]) throws(DateMistake) -> Day {
        guard clock.offset == nil else {
            throw DateMistake(message: "“\(words.joined(separator: " "))” has an offset, and no day. Write the day before it.")
        }
        switch direction {
        case .future: return clock.second / 60 > moment.second / 60 ? today : today.adding(days: 1)
        case .past: return clock.second <= moment.second ? today : today.adding(days: -1)
        }
    }

    // When the evening has begun, what is due tonight is due before the day ends.
    private var tonight: Int { direction == .past || moment.second < Self.evening ? Self.evening : 86_340 }
}

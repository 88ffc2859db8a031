import ChronicleValues

/// Parses natural-language dates and times: `friday`, `1.12.`, `tomorrow noon`, `in 30 min`, `last friday of december`.
///
/// The clock and the time zone are parameters. The calendar is the civil one. Ambiguous input resolves to the nearest match in the
/// reader's direction. A weekday excludes today, unless preceded by `this`; a day without a year or month includes it. `next` and
/// `in` always refer to the future, and `last` and `ago` to the past.
public struct DateReader: Sendable {
    public enum Direction: Int, Sendable {
        case past = -1
        case future = 1
    }

    public enum Reading: Sendable, Equatable {
        case day(Day)
        case time(Day, ClockReading)
        /// An offset from now; negative for the past.
        case shift(TimeShift)
    }

    /// The current Unix time in seconds.
    public var now: Int64
    public var zone: Zone
    public var direction: Direction
    /// The first day of the week, 0 for Sunday.
    public var weekBegin: Int

    /// Weeks begin on Monday by default, as in ISO 8601.
    public init(now: Int64, zone: Zone, direction: Direction, weekBegin: Int = 1) {
        (self.now, self.zone, self.direction, self.weekBegin) = (now, zone, direction, weekBegin)
    }

    /// The time of `tonight` in seconds of the day: 20:00.
    static let evening = 72_000

    var moment: Moment { zone.moment(at: now) }
    var today: Day { moment.day }

    /// Parses a list of words as a whole; nil if they are not a date or time.
    /// - Throws: a mistake if the words are clearly meant as a date or time but are invalid.
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

    /// Parses `in 30 min`, `3 days ago`, `2w` or `in 3 days noon`.
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

    /// Parses `eod`, `friday eod` or `end of the day in 3 days` as a whole day, which is due at its end.
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

    /// Consumes words that name a day; nil if they don't.
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

    /// Parses `day after tomorrow` or `the day before yesterday`.
    private func besideToday(_ words: inout ArraySlice<Substring>) -> Day? {
        let rest = words.first == "the" ? words.dropFirst() : words
        for (name, days) in Self.besideTomorrow where rest.starts(with: name) {
            words = rest.dropFirst(name.count)
            return today.adding(days: days)
        }
        return nil
    }

    /// Parses `next friday`, `last friday`, or `this friday`, which may be today; `next month` is the same day of the next month.
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

    /// Parses a numeric date: `2026-12-01`, `1.12.`, `1.12.2026`, `1 december 2026` or `dec 1`.
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
            // Every eight years contain a 29 February, even around a century without one.
            found = (0...8).lazy.compactMap { Day(year: today.year + direction.rawValue * $0, month: month, day: day) }
                .first { direction == .future ? $0 >= today : $0 <= today }
        }
        guard let found else {
            guard (1...12).contains(month) else { throw DateMistake(message: "There is no month \(month).") }
            throw DateMistake(message: "There is no day \(day) \(Day.monthNames[month - 1])\(year.map { " \($0)" } ?? "").")
        }
        return found
    }

    /// Returns the nearest such weekday, 0 for Sunday; never today.
    private func nearest(weekday: Int, _ direction: Direction) -> Day {
        let sign = direction.rawValue
        return today.adding(days: sign * ((sign * (weekday - today.weekday) + 6) % 7 + 1))
    }

    /// Returns the day of the next or the most recent occurrence of a time.
    private func nearest(_ clock: ClockReading, _ words: [Substring]) throws(DateMistake) -> Day {
        guard clock.offset == nil else {
            throw DateMistake(message: "“\(words.joined(separator: " "))” has an offset, and no day. Write the day before it.")
        }
        switch direction {
        case .future: return clock.second / 60 > moment.second / 60 ? today : today.adding(days: 1)
        case .past: return clock.second <= moment.second ? today : today.adding(days: -1)
        }
    }

    // Once the evening has begun, `tonight` is due before the end of the day.
    private var tonight: Int { direction == .past || moment.second < Self.evening ? Self.evening : 86_340 }

    /// Parses a due date: a day, or a day and a minute.
    ///
    /// The result is local time without a zone, so a time that daylight saving skips or repeats is kept as written. `in 2 hours` is
    /// converted to the local time after that duration.
    /// - Throws: a mistake, also for seconds and for a UTC offset.
    public func due(_ text: String) throws(DateMistake) -> Due {
        let words = DateWords.words(of: text)
        guard !words.isEmpty else { throw DateMistake(message: "A date is empty. \(Self.dueForms)") }
        switch try reading(words) {
        case .day(let day): return Due(day: day)
        case .time(let day, let clock): return Due(day: day, minute: try minute(of: clock, in: text))
        case .shift(let shift):
            if let day = shift.day(after: today) { return Due(day: day) }
            guard let seconds = shift.seconds else { break }
            guard shift.unit != .second else { throw tooExact(text) }
            let moment = zone.moment(at: now + seconds)
            return Due(day: moment.day, minute: moment.second / 60)
        case nil: break
        }
        throw DateMistake(message: "I don't understand the date “\(text)”. \(Self.dueForms)")
    }

    private static let dueForms = "Try tomorrow, “friday 14:30” or 2026-12-01."

    private func minute(of clock: ClockReading, in text: String) throws(DateMistake) -> Int {
        guard !clock.hasSeconds else { throw tooExact(text) }
        guard clock.offset == nil else {
            throw DateMistake(message: "A date has no offset: “\(text)”. Write the time that your clock will show.")
        }
        return clock.second / 60
    }

    private func tooExact(_ text: String) -> DateMistake {
        DateMistake(message: "A date has a minute, but no seconds: “\(text)”.")
    }
}

/// Recognizes texts that look like a date or time that doesn't exist, so that a caller can reject them instead of using them as text.
extension DateReader {
    // A leap year has every possible day.
    private static let leapYear = 2028

    /// Whether the words name a day that its month doesn't have, such as `31 feb`, `29 feb 2027`, `31.11.` or `2026-02-30`.
    public static func isImpossibleDay(_ words: [String]) -> Bool {
        let words = words.map { $0.lowercased()[...] }
        if words.count == 1 { return isImpossibleNumber(words[0]) }
        guard (2...3).contains(words.count),
            let (day, month) = pair(DateWords.dayNumber(words[0]), DateWords.month(words[1]))
                ?? pair(DateWords.dayNumber(words[1]), DateWords.month(words[0])),
            (1...31).contains(day)
        else { return false }
        let year = words.count == 2 ? Self.leapYear : DateWords.number(words[2], digits: 4...4)
        return year.map { Day(year: $0, month: month, day: day) == nil } ?? false
    }

    /// Recognizes `2026-02-30`, and `31.11.` with or without a year.
    private static func isImpossibleNumber(_ word: Substring) -> Bool {
        let fields = word.split(separator: "-", omittingEmptySubsequences: false)
        if fields.map(\.utf8.count) == [4, 2, 2] {
            return fields.joined().utf8.allSatisfy(DateWords.isDigit) && Day(iso: word) == nil
        }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let day = DateWords.number(parts[0], digits: 1...2),
            let month = DateWords.number(parts[1], digits: 1...2), (1...31).contains(day), (1...12).contains(month)
        else { return false }
        let year = parts[2].isEmpty ? Self.leapYear : DateWords.number(parts[2], digits: 4...4)
        return year.map { Day(year: $0, month: month, day: day) == nil } ?? false
    }

    /// Whether a word looks like `14:30` or `9am` but is not a valid time.
    public static func isImpossibleTime(_ word: String) -> Bool {
        let half = word.lowercased()
        if half.hasSuffix("am") || half.hasSuffix("pm"), DateWords.number(half.dropLast(2), digits: 1...2) != nil {
            return ClockReading.minute(of: half[...]) == nil
        }
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, DateWords.number(parts[0], digits: 1...2) != nil, DateWords.number(parts[1], digits: 2...2) != nil
        else { return false }
        return ClockReading.minute(of: word[...]) == nil
    }
}

/// A recurrence rule for a todo: `every monday`, `every last day of the month`, `3 days after done`.
///
/// It counts civil days and has no time of day and no time zone. `text` is its only serialized form.
public struct Recurrence: Sendable, Equatable {
    enum Rule: Sendable, Equatable {
        /// Every nth day.
        case days(Int)
        /// Every nth week on these weekdays, 0 for Sunday; an empty set uses the weekday of the previous day.
        case weeks(Int, on: Set<Int>)
        /// Every nth month on a day of the month, by default that of the previous day; a shorter month uses its last day.
        case months(Int, day: Int?)
        /// A day of each year; 29 February becomes the 28th in other years.
        case date(month: Int, day: Int)
        /// The nth (nil: last) weekday, or the nth day without a weekday, of every month or of one month of the year.
        case nth(index: Int?, weekday: Int?, month: Int?)
        /// A duration after completion.
        case afterDone(TimeShift)
    }

    let rule: Rule

    /// Maximum number of days, weeks, months or years between two occurrences.
    public static let countMax = 1_000

    /// A fifth Monday in February occurs every 28 years, or 40 around a century without a leap year.
    private static let monthsMax = 41 * 12

    init(_ rule: Rule) { self.rule = rule }

    /// Returns the next day for a todo that was due on a day, or had no due date, and was completed on another day.
    ///
    /// The result is later than both days, so missed occurrences are skipped. The rule counts from the last due date. It counts from
    /// the completion if there was no due date or the rule is relative to completion.
    ///
    /// - Returns: nil beyond the year 9999.
    public func next(after done: Day, due: Day?) -> Day? {
        if case .afterDone(let shift) = rule { return shift.day(after: done) }
        return occurrence(after: max(done, due ?? done), from: due ?? done)
    }

    /// Returns the first occurrence on or after a day.
    ///
    /// - Returns: nil beyond the year 9999.
    public func first(from day: Day) -> Day? {
        if case .afterDone = rule { return day }
        // The first matching day determines which weeks are skipped.
        if case .weeks(_, let weekdays) = rule, !weekdays.isEmpty {
            return Recurrence(.weeks(1, on: weekdays)).occurrence(after: day.adding(days: -1), from: day)
        }
        return occurrence(after: day.adding(days: -1), from: day)
    }

    /// Returns a rule that remembers the day of the month on which it began, so that the 31st survives shorter months.
    public func anchored(at day: Day) -> Recurrence {
        guard case .months(let count, nil) = rule, day.day > 28 else { return self }
        // After whole years each month has the same length, except February.
        if count % 12 == 0, day.month != 2 { return self }
        return Recurrence(count == 12 ? .date(month: day.month, day: day.day) : .months(count, day: day.day))
    }

    /// Returns the first occurrence after a limit; counts from a day that is at most one day after the limit.
    private func occurrence(after limit: Day, from start: Day) -> Day? {
        let found: Day?
        switch rule {
        case .days(let count): found = Self.day(after: limit, from: start, each: count)
        case .weeks(let count, let weekdays) where weekdays.isEmpty:
            found = Self.day(after: limit, from: start, each: count * 7)
        case .weeks(let count, let weekdays):
            // Weeks begin on Monday. Only every nth week counts, and the one that contains the limit may have no later day.
            let monday = start.adding(days: -((start.weekday + 6) % 7))
            let passed = max(0, limit.number - monday.number) / 7 / count
            found = (passed...passed + 1).lazy.flatMap { turn in (0..<7).map { monday.adding(days: turn * count * 7 + $0) } }
                .first { weekdays.contains($0.weekday) && $0 > limit }
        case .months(let count, let day):
            let passed = max(0, (Self.month(of: limit) - Self.month(of: start)) / count)
            found = (passed...passed + 2).lazy
                .compactMap { Self.day(day ?? start.day, ofMonth: Self.month(of: start) + $0 * count) }.first { $0 > limit }
        case .date(let month, let day):
            found = (0...1).lazy.compactMap { Self.day(day, ofMonth: (limit.year + $0) * 12 + month - 1) }.first { $0 > limit }
        case .nth(let index, let weekday, let wanted):
            found = (0...Self.monthsMax).lazy.map { Self.month(of: limit) + $0 }
                .filter { wanted == nil || $0 % 12 + 1 == wanted }
                .compactMap { Self.nth(index, weekday, ofMonth: $0) }.first { $0 > limit }
        case .afterDone: found = nil
        }
        return found.flatMap { (1...9999).contains($0.year) ? $0 : nil }
    }

    private static func day(after limit: Day, from start: Day, each days: Int) -> Day {
        let distance = limit.number - start.number
        let passed = distance >= 0 ? distance / days + 1 : 0
        return start.adding(days: passed * days)
    }

    private static func month(of day: Day) -> Int { day.year * 12 + day.month - 1 }

    /// Returns a day of a month, or the last day of a shorter month.
    private static func day(_ day: Int, ofMonth index: Int) -> Day? {
        let (year, month) = (index / 12, index % 12 + 1)
        return Day(year: year, month: month, day: min(day, Day.length(ofMonth: month, year: year)))
    }

    private static func nth(_ index: Int?, _ weekday: Int?, ofMonth month: Int) -> Day? {
        guard let first = day(1, ofMonth: month), let last = day(31, ofMonth: month) else { return nil }
        return NthDay(index: index, weekday: weekday).day(in: first.number...last.number)
    }
}

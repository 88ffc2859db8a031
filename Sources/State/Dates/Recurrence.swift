/// When something that was done is to be done again: `every monday`, `every last day of the month`, `3 days after done`.
///
/// It counts civil days, and knows no time of day and no zone. `text` is its only written form; what people write is read into it.
public struct Recurrence: Sendable, Equatable {
    enum Rule: Sendable, Equatable {
        /// So many days apart.
        case days(Int)
        /// So many weeks apart, on some days of the week, 0 is Sunday; none: on that of the day before.
        case weeks(Int, on: Set<Int>)
        /// So many months apart, on a day of the month, or on that of the day before; a shorter month has its last day.
        case months(Int, day: Int?)
        /// A day of each year; 29 February is the 28th where there is none.
        case date(month: Int, day: Int)
        /// A day of the week by its place in a month, `nil`: the last; without a day of the week the last day. Of each month, or of one of the year.
        case place(index: Int?, weekday: Int?, month: Int?)
        /// So long after it was done.
        case afterDone(TimeShift)
    }

    let rule: Rule

    /// How many days, weeks, months or years a rule can have between two days.
    public static let countMax = 1_000

    /// A fifth Monday of February comes every 28 years, and every 40 where a century has no leap year.
    private static let monthsMax = 41 * 12

    init(_ rule: Rule) { self.rule = rule }

    /// The day that comes next for what was due on a day, or never, and was done on another.
    ///
    /// It lies behind both, so what was missed is left out. Counted from the last due; what had none, and what recurs so long after it was
    /// done, is counted from the day on which it was done.
    ///
    /// - Returns: `nil` beyond the year 9999.
    public func next(after done: Day, due: Day?) -> Day? {
        if case .afterDone(let shift) = rule { return shift.day(after: done) }
        return occurrence(after: max(done, due ?? done), from: due ?? done)
    }

    /// The first day on which it is due, for what begins on a day: that day, or the next that fits.
    ///
    /// - Returns: `nil` beyond the year 9999.
    public func first(from day: Day) -> Day? {
        if case .afterDone = rule { return day }
        // Of every other week none has been yet: the first such day begins them.
        if case .weeks(_, let weekdays) = rule, !weekdays.isEmpty {
            return Recurrence(.weeks(1, on: weekdays)).occurrence(after: day.adding(days: -1), from: day)
        }
        return occurrence(after: day.adding(days: -1), from: day)
    }

    /// The rule that goes on as it began on a day: of the 31st of each month it keeps in mind that it is the 31st.
    public func anchored(at day: Day) -> Recurrence {
        guard case .months(let count, nil) = rule, day.day > 28 else { return self }
        // A year later each month is as long as it was, but for February.
        if count % 12 == 0, day.month != 2 { return self }
        return Recurrence(count == 12 ? .date(month: day.month, day: day.day) : .months(count, day: day.day))
    }

    /// The first day behind a limit, counted from a day that lies at most one behind that limit.
    private func occurrence(after limit: Day, from start: Day) -> Day? {
        let found: Day?
        switch rule {
        case .days(let count): found = Self.day(after: limit, from: start, each: count)
        case .weeks(let count, let weekdays) where weekdays.isEmpty:
            found = Self.day(after: limit, from: start, each: count * 7)
        case .weeks(let count, let weekdays):
            // Weeks begin on Monday; of so many only the first counts, and the one of the limit may be over.
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
        case .place(let index, let weekday, let wanted):
            found = (0...Self.monthsMax).lazy.map { Self.month(of: limit) + $0 }
                .filter { wanted == nil || $0 % 12 + 1 == wanted }
                .compactMap { Self.place(index, weekday, ofMonth: $0) }.first { $0 > limit }
        case .afterDone: found = nil
        }
        return found.flatMap { (1...9999).contains($0.year) ? $0 : nil }
    }

    private static func day(after limit: Day, from start: Day, each days: Int) -> Day {
        let distance = limit.number - start.number
        let passed = distance >= 0 ? distance / days + 1 : 0
        return start.adding(days: passed * days)
    }

    /// Months since the year 0.
    private static func month(of day: Day) -> Int { day.year * 12 + day.month - 1 }

    /// A day of a month, or the last one of a shorter month.
    private static func day(_ day: Int, ofMonth index: Int) -> Day? {
        let (year, month) = (index / 12, index % 12 + 1)
        return Day(year: year, month: month, day: min(day, Day.length(ofMonth: month, year: year)))
    }

    private static func place(_ index: Int?, _ weekday: Int?, ofMonth month: Int) -> Day? {
        guard let first = day(1, ofMonth: month), let last = day(31, ofMonth: month) else { return nil }
        guard let weekday else { return last }
        guard let index else { return last.adding(days: -((last.weekday - weekday + 7) % 7)) }
        let found = first.adding(days: (weekday - first.weekday + 7) % 7 + (index - 1) * 7)
        return found <= last ? found : nil
    }
}

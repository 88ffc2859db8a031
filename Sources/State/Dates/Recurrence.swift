import ChronicleValues

/// A recurrence rule for a todo: `every monday`, `every last day of the month`, `3 days after done`.
///
/// It counts civil days and has no time of day and no time zone. `text` is its only serialized form.
public struct Recurrence: Sendable, Equatable {
    enum Rule: Sendable, Equatable {
        case days(Int)
        /// Every nth week on these weekdays, 0 for Sunday; an empty set uses the weekday of the previous day.
        case weeks(Int, on: Set<Int>)
        /// Every nth month on a day of the month, by default that of the previous day; a shorter month uses its last day.
        case months(Int, day: Int?)
        /// A day of each year; 29 February becomes the 28th in other years.
        case date(month: Int, day: Int)
        /// The nth (nil: last) weekday, or the nth day without a weekday, of every month or of one month of the year.
        case nth(index: Int?, weekday: Int?, month: Int?)
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
    /// - Returns: nil beyond the year 9999.
    public func next(after done: Day, due: Day?) -> Day? {
        if case .afterDone(let shift) = rule { return shift.day(after: done) }
        return occurrence(after: max(done, due ?? done), from: due ?? done)
    }

    /// Returns the first occurrence on or after a day; nil beyond the year 9999.
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
        case .weeks(let count, let weekdays) where weekdays.isEmpty: found = Self.day(after: limit, from: start, each: count * 7)
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

    /// Parses a rule in natural language, and every result of `text`: `every 2 weeks on monday`, `monday and friday`, `daily`,
    /// `a week after done`.
    public init(_ text: String) throws(DateMistake) {
        guard let rule = try Self.rule(DateWords.words(of: text)[...]) else { throw Self.mistake(text) }
        self.init(rule)
    }

    /// Parses a rule and an optional time of day after it, as a minute: `every monday 9:00`.
    /// - Throws: a mistake whose message lists examples of valid rules.
    public static func reading(_ text: String) throws(DateMistake) -> (recurrence: Recurrence, minute: Int?) {
        let words = DateWords.words(of: text)
        if let rule = try rule(words[...]) { return (Recurrence(rule), nil) }
        for count in 1..<max(min(words.count, 4), 1) {
            guard let clock = ClockReading(words.suffix(count)), !clock.hasSeconds, clock.offset == nil,
                let rule = try rule(words.dropLast(count))
            else { continue }
            return (Recurrence(rule), clock.second / 60)
        }
        throw mistake(text)
    }

    /// The canonical text, such as `every monday`; it is stored and shown, and can be parsed.
    public var text: String {
        switch rule {
        case .days(let count): "every " + Self.counted(count, "day")
        case .weeks(let count, let weekdays) where weekdays.isEmpty: "every " + Self.counted(count, "week")
        case .weeks(1, Self.workdays): "every weekday"
        case .weeks(1, let weekdays): "every " + Self.listed(weekdays)
        case .weeks(let count, let weekdays): "every \(Self.counted(count, "week")) on \(Self.listed(weekdays))"
        case .months(let count, let day):
            "every " + Self.counted(months: count) + (day.map { " on the " + Self.ordinal($0) } ?? "")
        case .date(let month, let day): "every \(day) \(Self.monthName(month))"
        case .nth(let index, let weekday, let month):
            "every \(index.map { Self.ordinals[$0 - 1] } ?? "last") \(weekday.map(Self.weekdayName) ?? "day") of "
                + (month.map(Self.monthName) ?? "the month")
        case .afterDone(let shift): Self.counted(shift.count, shift.unit.rawValue, one: "1 ") + " after done"
        }
    }

    private static let workdays: Set = [1, 2, 3, 4, 5]
    private static let ordinals = ["first", "second", "third", "fourth", "fifth"]
    private static let single: [Substring: Rule] = [
        "daily": .days(1), "weekly": .weeks(1, on: []), "monthly": .months(1, day: nil), "quarterly": .months(3, day: nil),
        "yearly": .months(12, day: nil), "annually": .months(12, day: nil), "weekday": .weeks(1, on: workdays),
        "weekdays": .weeks(1, on: workdays), "workday": .weeks(1, on: workdays), "quarter": .months(3, day: nil),
    ]

    private static func mistake(_ text: String) -> DateMistake {
        DateMistake(
            message:
                "I don't understand “\(text)” as a recurrence. Try “every monday”, “every 2 weeks”, “every last day of the month” or “3 days after done”."
        )
    }

    private static func rule(_ words: ArraySlice<Substring>) throws(DateMistake) -> Rule? {
        var rest = words
        if rest.first == "every" || rest.first == "each" { rest.removeFirst() }
        if rest.count > 2, Array(rest.suffix(2)) == ["after", "done"] { return try afterDone(rest.dropLast(2)) }
        if rest.first == "the" { rest.removeFirst() }
        guard let first = rest.first else { return nil }
        if rest.count == 1, let rule = single[first] { return rule }
        if let weekdays = weekdays(rest) { return .weeks(1, on: weekdays) }
        if first == "other", let weekdays = weekdays(rest.dropFirst()) { return .weeks(2, on: weekdays) }
        if let rule = try interval(rest) { return rule }
        if let rule = placed(rest) { return rule }
        return try date(rest)
    }

    /// Parses `3 days` of a rule that counts from completion.
    private static func afterDone(_ words: ArraySlice<Substring>) throws(DateMistake) -> Rule? {
        var rest = words
        guard let shift = try TimeShift(taking: &rest), rest.isEmpty else { return nil }
        return Recurrence(afterDone: shift)?.rule
    }

    /// Parses `day`, `2 weeks`, `other month`, `2 weeks on monday` or `month on the 15th`.
    private static func interval(_ words: ArraySlice<Substring>) throws(DateMistake) -> Rule? {
        var rest = words
        let shift: TimeShift
        if let first = rest.first, let unit = TimeShift.Unit(first) {
            shift = TimeShift(count: 1, unit: unit)
            rest.removeFirst()
        } else if rest.first == "other", let unit = rest.dropFirst().first.flatMap({ TimeShift.Unit($0) }) {
            shift = TimeShift(count: 2, unit: unit)
            rest.removeFirst(2)
        } else if let read = try TimeShift(taking: &rest) {
            shift = read
        } else {
            return nil
        }
        let rule = Recurrence(every: shift)?.rule
        if rest.isEmpty { return rule }
        guard rest.popFirst() == "on", !rest.isEmpty else { return nil }
        switch rule {
        case .weeks(let count, _): return weekdays(rest).map { .weeks(count, on: $0) }
        case .months(let count, _):
            if rest.first == "the" { rest.removeFirst() }
            guard rest.count == 1, let day = rest.first.flatMap(DateWords.dayNumber), (1...31).contains(day) else { return nil }
            return .months(count, day: day)
        default: return nil
        }
    }

    /// Parses `last day of the month`, `first monday of the month`, `last friday of december`, `15th of the month`, `15th`, `last friday`.
    private static func placed(_ words: ArraySlice<Substring>) -> Rule? {
        var rest = words
        guard let number = rest.popFirst() else { return nil }
        let isLast = number == "last" || number == "end"
        let index = ordinals.firstIndex { $0 == number }.map { $0 + 1 } ?? DateWords.ordinal(number)
        guard isLast || index != nil else { return nil }
        var weekday: Int?
        if let name = rest.first, number != "end" {
            weekday = MomentWords.weekday(name)
            if weekday != nil || name == "day" { rest.removeFirst() }
        }
        var month: Int?
        if rest.isEmpty {
            // `every 15th` and `every last friday` repeat monthly. `every last day` names no period, and `every second monday` could mean
            // every other Monday.
            let isOfMonth = weekday != nil && (isLast || index == 1)
            guard isOfMonth || words.count == 1 && DateWords.ordinal(number) != nil else { return nil }
        } else {
            guard rest.popFirst() == "of" else { return nil }
            if let name = rest.first, ["the", "each", "every"].contains(name) { rest.removeFirst() }
            guard let name = rest.popFirst(), rest.isEmpty else { return nil }
            month = DateWords.month(name)
            guard month != nil || name == "month" else { return nil }
        }
        guard let day = index, weekday == nil else {
            guard index.map({ (1...5).contains($0) }) ?? true else { return nil }
            return .nth(index: index, weekday: weekday, month: month)
        }
        guard let named = month else { return (1...31).contains(day) ? .months(1, day: day) : nil }
        return isDay(day, of: named) ? .date(month: named, day: day) : nil
    }

    /// Parses `24 december`, `dec 24` or `24th of december`.
    private static func date(_ words: ArraySlice<Substring>) throws(DateMistake) -> Rule? {
        let words = words.filter { $0 != "of" && $0 != "the" }
        guard words.count == 2 else { return nil }
        for (number, name) in [(words[0], words[1]), (words[1], words[0])] {
            guard let day = DateWords.dayNumber(number), let month = DateWords.month(name) else { continue }
            guard isDay(day, of: month) else {
                throw DateMistake(message: "There is no day \(day) \(Day.monthNames[month - 1]).")
            }
            return .date(month: month, day: day)
        }
        return nil
    }

    /// Parses `monday` or `monday wednesday and friday`; nil if another word occurs.
    private static func weekdays(_ words: ArraySlice<Substring>) -> Set<Int>? {
        guard let last = words.last, MomentWords.weekday(last) != nil else { return nil }
        let names = words.filter { $0 != "and" }
        let weekdays = names.compactMap { MomentWords.weekday($0) }
        return weekdays.count == names.count ? Set(weekdays) : nil
    }

    /// Whether the day exists in some year; 2028 is a leap year.
    private static func isDay(_ day: Int, of month: Int) -> Bool { Day(year: 2028, month: month, day: day) != nil }

    private static func counted(_ count: Int, _ unit: String, one: String = "") -> String {
        count == 1 ? one + unit : "\(count) \(unit)s"
    }

    private static func counted(months count: Int) -> String {
        count % 12 == 0 ? counted(count / 12, "year") : counted(count, "month")
    }

    private static func weekdayName(_ weekday: Int) -> String { Day.weekdayNames[weekday].lowercased() }
    private static func monthName(_ month: Int) -> String { Day.monthNames[month - 1].lowercased() }

    /// The weekdays, starting on Monday.
    static func sorted(_ weekdays: Set<Int>) -> [Int] { weekdays.sorted { ($0 + 6) % 7 < ($1 + 6) % 7 } }

    /// Formats weekdays as `monday, wednesday and friday`.
    private static func listed(_ weekdays: Set<Int>) -> String {
        let names = sorted(weekdays).map(weekdayName)
        guard names.count > 1, let last = names.last else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }

    private static func ordinal(_ number: Int) -> String {
        let suffix =
            switch (number % 100, number % 10) {
            case (11...13, _): "th"
            case (_, 1): "st"
            case (_, 2): "nd"
            case (_, 3): "rd"
            default: "th"
            }
        return "\(number)\(suffix)"
    }
}

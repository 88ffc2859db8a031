import Values

extension Recurrence {
    /// Reads a rule as people write it, and each that `text` gives: `every 2 weeks on monday`, `monday and friday`, `daily`, `a week after done`.
    ///
    /// - Throws: a mistake; what it says names rules that are understood.
    public init(_ text: String) throws(DateMistake) {
        guard let rule = try Self.rule(DateWords.words(of: text)[...]) else { throw Self.mistake(text) }
        self.init(rule)
    }

    /// Reads a rule, and behind it the minute of the day at which it is due, where one is said: `every monday 9:00`.
    ///
    /// - Throws: a mistake; what it says names rules that are understood.
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

    /// `every monday`, as it is read, shown and stored.
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
        case .place(let index, let weekday, let month):
            "every \(index.map { Self.places[$0 - 1] } ?? "last") \(weekday.map(Self.weekdayName) ?? "day") of "
                + (month.map(Self.monthName) ?? "the month")
        case .afterDone(let shift): "\(shift.count) \(Self.name(of: shift.unit))\(shift.count == 1 ? "" : "s") after done"
        }
    }

    private static let workdays: Set = [1, 2, 3, 4, 5]
    private static let places = ["first", "second", "third", "fourth", "fifth"]
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

    /// `3 days`, of what comes so long after it was done.
    private static func afterDone(_ words: ArraySlice<Substring>) throws(DateMistake) -> Rule? {
        var rest = words
        guard let shift = try TimeShift(taking: &rest), rest.isEmpty, shift.seconds == nil, isAllowed(shift.count) else {
            return nil
        }
        return .afterDone(shift)
    }

    /// `day`, `2 weeks`, `other month`, `2 weeks on monday`, `month on the 15th`.
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
        let isMore = !rest.isEmpty
        if isMore {
            guard rest.popFirst() == "on", !rest.isEmpty else { return nil }
        }
        guard isAllowed(shift.count) else { return nil }
        switch shift.unit {
        case .day: return isMore ? nil : .days(shift.count)
        case .week:
            guard isMore else { return .weeks(shift.count, on: []) }
            return weekdays(rest).map { .weeks(shift.count, on: $0) }
        case .month, .year:
            let count = shift.count * (shift.unit == .year ? 12 : 1)
            guard isMore else { return .months(count, day: nil) }
            if rest.first == "the" { rest.removeFirst() }
            guard rest.count == 1, let day = rest.first.flatMap(DateWords.dayNumber), (1...31).contains(day) else { return nil }
            return .months(count, day: day)
        case .second, .minute, .hour: return nil
        }
    }

    /// `last day of the month`, `first monday of the month`, `last friday of december`, `15th of the month`, `15th`, `last friday`.
    private static func placed(_ words: ArraySlice<Substring>) -> Rule? {
        var rest = words
        guard let number = rest.popFirst() else { return nil }
        let isLast = number == "last" || number == "end"
        let index = places.firstIndex { $0 == number }.map { $0 + 1 } ?? DateWords.ordinal(number)
        guard isLast || index != nil else { return nil }
        var weekday: Int?
        if let name = rest.first, number != "end" {
            weekday = MomentWords.weekday(name)
            if weekday != nil || name == "day" { rest.removeFirst() }
        }
        var month: Int?
        if rest.isEmpty {
            // `every 15th` is one of each month, and so is `every last friday`; `every last day` leaves open of what, and `every second
            // monday` is every other one to many.
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
            return .place(index: index, weekday: weekday, month: month)
        }
        guard let named = month else { return (1...31).contains(day) ? .months(1, day: day) : nil }
        return isDay(day, of: named) ? .date(month: named, day: day) : nil
    }

    /// `24 december`, `dec 24`, `24th of december`.
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

    /// `monday`, `monday wednesday and friday`; `nil` where another word is among them.
    private static func weekdays(_ words: ArraySlice<Substring>) -> Set<Int>? {
        guard let last = words.last, MomentWords.weekday(last) != nil else { return nil }
        let names = words.filter { $0 != "and" }
        let weekdays = names.compactMap { MomentWords.weekday($0) }
        return weekdays.count == names.count ? Set(weekdays) : nil
    }

    private static func isAllowed(_ count: Int) -> Bool { (1...countMax).contains(count) }

    /// Whether some year has that day; 2028 is a leap year.
    private static func isDay(_ day: Int, of month: Int) -> Bool { Day(year: 2028, month: month, day: day) != nil }

    private static func counted(_ count: Int, _ unit: String) -> String { count == 1 ? unit : "\(count) \(unit)s" }

    private static func counted(months count: Int) -> String {
        count % 12 == 0 ? counted(count / 12, "year") : counted(count, "month")
    }

    private static func weekdayName(_ weekday: Int) -> String { Day.weekdayNames[weekday].lowercased() }
    private static func monthName(_ month: Int) -> String { Day.monthNames[month - 1].lowercased() }

    /// `monday, wednesday and friday`, in the order of a week that begins on Monday.
    private static func listed(_ weekdays: Set<Int>) -> String {
        let names = weekdays.sorted { ($0 + 6) % 7 < ($1 + 6) % 7 }.map(weekdayName)
        guard names.count > 1, let last = names.last else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }

    /// `1st`, `22nd`, `13th`.
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

    private static func name(of unit: TimeShift.Unit) -> String {
        switch unit {
        case .second: "second"
        case .minute: "minute"
        case .hour: "hour"
        case .day: "day"
        case .week: "week"
        case .month: "month"
        case .year: "year"
        }
    }
}

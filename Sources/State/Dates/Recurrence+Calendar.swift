extension Recurrence {
    private static let weekdayCodes = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]
    // The last day that every month has.
    private static let dayOfEachMonthMax = 28

    /// The rule as an RRULE of RFC 5545; nil for a rule that counts from completion, which RRULE can't express.
    ///
    /// RRULE skips months without the 30th, whereas this rule uses their last day. It is therefore written as the last of the 28th,
    /// 29th and 30th.
    public var rrule: String? {
        switch rule {
        case .days(let count): Self.rrule("DAILY", each: count)
        case .weeks(let count, let weekdays) where weekdays.isEmpty: Self.rrule("WEEKLY", each: count)
        case .weeks(let count, let weekdays): Self.rrule("WEEKLY", each: count) + Self.part(ofWeekdays: weekdays)
        case .months(let count, nil) where count % 12 == 0: Self.rrule("YEARLY", each: count / 12)
        case .months(let count, nil): Self.rrule("MONTHLY", each: count)
        case .months(let count, .some(let day)): Self.rrule("MONTHLY", each: count) + Self.part(ofDay: day)
        case .date(2, 29): "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1"
        case .date(let month, let day): "FREQ=YEARLY;BYMONTH=\(month);BYMONTHDAY=\(day)"
        case .nth(let index, let weekday, let month): Self.rrule(index, weekday, ofMonth: month)
        case .afterDone: nil
        }
    }

    private static func rrule(_ frequency: String, each count: Int) -> String {
        "FREQ=\(frequency)" + (count == 1 ? "" : ";INTERVAL=\(count)")
    }

    private static func rrule(_ index: Int?, _ weekday: Int?, ofMonth month: Int?) -> String {
        let frequency = month.map { "FREQ=YEARLY;BYMONTH=\($0)" } ?? "FREQ=MONTHLY"
        guard let weekday else { return frequency + ";BYMONTHDAY=-1" }
        return frequency + ";BYDAY=\(index ?? -1)\(weekdayCodes[weekday])"
    }

    private static func part(ofWeekdays weekdays: Set<Int>) -> String {
        ";BYDAY=" + sorted(weekdays).map { weekdayCodes[$0] }.joined(separator: ",")
    }

    private static func part(ofDay day: Int) -> String {
        if day <= dayOfEachMonthMax { return ";BYMONTHDAY=\(day)" }
        return day >= 31 ? ";BYMONTHDAY=-1" : ";BYMONTHDAY=\(days(to: day));BYSETPOS=-1"
    }

    private static func days(to day: Int) -> String { (dayOfEachMonthMax...day).map { String($0) }.joined(separator: ",") }

    /// Parses an RRULE of RFC 5545; nil if it can't be expressed, for example a rule with an end.
    public init?(rrule text: String) {
        var parts: [String: String] = [:]
        for part in text.uppercased().split(separator: ";") {
            let halves = part.split(separator: "=", omittingEmptySubsequences: false)
            guard halves.count == 2, parts.updateValue(String(halves[1]), forKey: String(halves[0])) == nil else { return nil }
        }
        guard let frequency = parts.removeValue(forKey: "FREQ") else { return nil }
        guard let count = Self.number(parts.removeValue(forKey: "INTERVAL") ?? "1"), count > 0 else { return nil }
        // Yearly rules with a day of the month are stored in months.
        let isOfYears = frequency == "MONTHLY" && count % 12 == 0
        guard count <= (isOfYears ? 12 : 1) * Self.countMax else { return nil }
        // The start of the week only matters if weeks are skipped.
        if let start = parts.removeValue(forKey: "WKST"), start != "MO", frequency == "WEEKLY", count > 1 { return nil }
        guard let rule = Self.rule(frequency, count, parts) else { return nil }
        self.init(rule)
    }

    private static func rule(_ frequency: String, _ count: Int, _ parts: [String: String]) -> Rule? {
        let names = Set(parts.keys)
        switch frequency {
        case "DAILY" where names.isEmpty: return .days(count)
        case "WEEKLY" where names.isEmpty: return .weeks(count, on: [])
        case "MONTHLY" where names.isEmpty: return .months(count, day: nil)
        case "YEARLY" where names.isEmpty: return .months(count * 12, day: nil)
        case "WEEKLY" where names == ["BYDAY"], "DAILY" where names == ["BYDAY"] && count == 1:
            return weekdays(parts["BYDAY"] ?? "").map { .weeks(count, on: $0) }
        case "MONTHLY":
            guard let day = dayOfMonth(parts) else { return count == 1 ? placed(parts, month: nil) : nil }
            guard day < 0 else { return .months(count, day: day) }
            return count == 1 ? .nth(index: nil, weekday: nil, month: nil) : .months(count, day: 31)
        case "YEARLY":
            var parts = parts
            guard count == 1, let month = parts.removeValue(forKey: "BYMONTH").flatMap(number), (1...12).contains(month) else {
                return nil
            }
            guard Set(parts.keys) == ["BYMONTHDAY"], let text = parts["BYMONTHDAY"] else { return placed(parts, month: month) }
            if text == "-1" { return .nth(index: nil, weekday: nil, month: month) }
            // 2027 is not a leap year, so the day exists in every year.
            return number(text).flatMap { Day(year: 2027, month: month, day: $0) }.map { .date(month: month, day: $0.day) }
        default: return nil
        }
    }

    /// Returns the day of a month if it is the only part of the rule; -1 for the last day.
    private static func dayOfMonth(_ parts: [String: String]) -> Int? {
        guard let text = parts["BYMONTHDAY"] else { return nil }
        if parts.count == 2, parts["BYSETPOS"] == "-1" { return [29, 30, 31].first { days(to: $0) == text } }
        guard parts.count == 1 else { return nil }
        if text == "-1" { return -1 }
        return number(text).flatMap { (1...dayOfEachMonthMax).contains($0) ? $0 : nil }
    }

    /// Parses `1MO` or `-1FR`, or a weekday with BYSETPOS.
    private static func placed(_ parts: [String: String], month: Int?) -> Rule? {
        guard let text = parts["BYDAY"], let weekday = weekdayCodes.firstIndex(of: String(text.suffix(2))) else { return nil }
        let index: String
        switch (parts.count, parts["BYSETPOS"]) {
        case (1, nil): index = String(text.dropLast(2))
        case (2, .some(let position)) where text.count == 2: index = position
        default: return nil
        }
        if index == "-1" { return .nth(index: nil, weekday: weekday, month: month) }
        let digits = index.hasPrefix("+") ? String(index.dropFirst()) : index
        guard let position = number(digits), (1...5).contains(position) else { return nil }
        return .nth(index: position, weekday: weekday, month: month)
    }

    private static func weekdays(_ text: String) -> Set<Int>? {
        let codes = text.split(separator: ",", omittingEmptySubsequences: false)
        let weekdays = codes.compactMap { weekdayCodes.firstIndex(of: String($0)) }
        return weekdays.isEmpty || weekdays.count != codes.count ? nil : Set(weekdays)
    }

    private static func number(_ text: String) -> Int? { DateWords.number(text[...], digits: 1...5) }

    /// Creates `every 2 weeks`; nil for a unit of clock time, and above `countMax`.
    public init?(every shift: TimeShift) {
        guard (1...Self.countMax).contains(shift.count) else { return nil }
        switch shift.unit {
        case .day: self.init(.days(shift.count))
        case .week: self.init(.weeks(shift.count, on: []))
        case .month: self.init(.months(shift.count, day: nil))
        case .year: self.init(.months(shift.count * 12, day: nil))
        case .second, .minute, .hour: return nil
        }
    }

    /// Creates `2 weeks after done`; nil for a unit of clock time, and above `countMax`.
    public init?(afterDone shift: TimeShift) {
        guard (1...Self.countMax).contains(shift.count), shift.seconds == nil else { return nil }
        self.init(.afterDone(shift))
    }

    /// The interval of a rule that consists only of one.
    public var interval: TimeShift? {
        switch rule {
        case .days(let count): TimeShift(count: count, unit: .day)
        case .weeks(let count, let weekdays) where weekdays.isEmpty: TimeShift(count: count, unit: .week)
        case .months(let count, nil) where count % 12 == 0: TimeShift(count: count / 12, unit: .year)
        case .months(let count, nil): TimeShift(count: count, unit: .month)
        case .weeks, .months, .date, .nth, .afterDone: nil
        }
    }

    /// The interval of a rule that counts from completion.
    public var intervalAfterDone: TimeShift? { if case .afterDone(let shift) = rule { shift } else { nil } }
}

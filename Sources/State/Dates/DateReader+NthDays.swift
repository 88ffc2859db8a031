import ChronicleValues

struct NthDay {
    /// Counted from 1; nil for the last one.
    var index: Int?
    /// The weekday to count, 0 for Sunday; nil counts every day.
    var weekday: Int?

    func day(in days: ClosedRange<Int>) -> Day? {
        let counted = days.lazy.map(Day.init(number:)).filter { weekday == nil || $0.weekday == weekday }
        return index.map { $0 > 0 ? counted.dropFirst($0 - 1).first : nil } ?? counted.last
    }
}

/// Days by their position in a week, month or year: `eom`, `end of next month`, `last friday of december`, `the 15th`.
extension DateReader {
    private enum Period {
        case week, month, year
        case named(Int)
    }

    // The longest gap between two such days: a fifth Monday in February occurs every 28 years, or 40 around a century without a leap year.
    private static let periodsMax = 40
    private static let ends: [Substring: Period] = ["eow": .week, "eom": .month, "eoy": .year]
    private static let units: [Substring: Period] = ["week": .week, "month": .month, "year": .year]
    private static let ordinals: [Substring: Int] = ["first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5]

    /// Consumes words that name a day by its position; nil if they don't.
    func placedDay(_ words: inout ArraySlice<Substring>) throws(DateMistake) -> Day? {
        var rest = words
        guard let first = rest.popFirst() else { return nil }
        if let period = Self.ends[first] {
            words = rest
            return nearest(NthDay(), period)
        }
        guard let number = first == "the" ? rest.popFirst() : first else { return nil }
        guard let nthDay = nthDay(number, &rest) else {
            // `15th` alone; followed by a month it is a date.
            guard let index = DateWords.ordinal(number), rest.first.flatMap(DateWords.month) == nil else { return nil }
            guard let day = nearest(NthDay(index: index), .month) else {
                throw DateMistake(message: "No month has a day \(index).")
            }
            words = rest
            return day
        }
        guard rest.popFirst() == "of" else { return nil }
        if rest.first == "the" { rest.removeFirst() }
        guard let name = rest.popFirst() else { return nil }
        var found: Day?
        if let offset = ["this": 0, "next": 1, "last": -1][name] {
            guard let period = rest.popFirst().flatMap({ Self.units[$0] }) else { return nil }
            found = days(of: period, offset).flatMap(nthDay.day)
        } else if let month = DateWords.month(name) {
            if let year = rest.first.flatMap({ DateWords.number($0, digits: 4...4) }) {
                rest.removeFirst()
                found = days(of: .named(month), year - today.year).flatMap(nthDay.day)
            } else {
                found = nearest(nthDay, .named(month))
            }
        } else if let year = DateWords.number(name, digits: 4...4) {
            found = days(of: .year, year - today.year).flatMap(nthDay.day)
        } else if let period = Self.units[name] {
            found = nearest(nthDay, period)
        } else {
            return nil
        }
        let said = words[..<rest.startIndex]
        guard let found else { throw DateMistake(message: "There is no day “\(said.joined(separator: " "))”.") }
        words = rest
        return found
    }

    /// Parses `end`, `last day`, `first monday` or `3rd friday`.
    private func nthDay(_ number: Substring, _ rest: inout ArraySlice<Substring>) -> NthDay? {
        if number == "end" { return NthDay() }
        guard number == "last" || Self.ordinals[number] ?? DateWords.ordinal(number) != nil, let name = rest.first else {
            return nil
        }
        guard name == "day" || MomentWords.weekday(name) != nil else { return nil }
        rest.removeFirst()
        return NthDay(index: Self.ordinals[number] ?? DateWords.ordinal(number), weekday: MomentWords.weekday(name))
    }

    /// Returns the nearest such day in the reader's direction, today included.
    private func nearest(_ nthDay: NthDay, _ period: Period) -> Day? {
        (0...Self.periodsMax).lazy.compactMap { days(of: period, direction.rawValue * $0).flatMap(nthDay.day) }
            .first { direction == .future ? $0 >= today : $0 <= today }
    }

    /// Returns the day numbers of a period relative to the current one; for a named month, relative to the current year.
    private func days(of period: Period, _ offset: Int) -> ClosedRange<Int>? {
        let first: Day?
        switch period {
        case .week:
            let begin = today.number - (today.weekday - weekBegin + 7) % 7 + offset * 7
            return begin...begin + 6
        case .year:
            guard let first = Day(year: today.year + offset, month: 1, day: 1) else { return nil }
            return first.number...first.number + (Day.length(ofMonth: 2, year: first.year) + 336)
        case .month: first = Day(year: today.year, month: today.month, day: 1)?.adding(months: offset)
        case .named(let month): first = Day(year: today.year + offset, month: month, day: 1)
        }
        return first.map { $0.number...$0.number + Day.length(ofMonth: $0.month, year: $0.year) - 1 }
    }
}

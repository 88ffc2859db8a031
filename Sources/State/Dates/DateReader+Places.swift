import Values

/// Days by their place in a week, a month or a year: `eom`, `end of next month`, `last friday of december`, `the 15th`.
extension DateReader {
    /// A stretch of the calendar.
    private enum Period {
        case week
        case month
        case year
        /// A month by its name.
        case named(Int)
    }

    /// The days of a place in a stretch.
    private struct Place {
        /// Counted from 1; `nil` is the last one.
        var index: Int?
        /// Which day of the week is counted, 0 is Sunday; `nil`: each day.
        var weekday: Int?

        func day(in days: ClosedRange<Int>) -> Day? {
            let counted = days.filter { weekday == nil || Day(number: $0).weekday == weekday }
            guard let index else { return counted.last.map(Day.init(number:)) }
            return counted.indices.contains(index - 1) ? Day(number: counted[index - 1]) : nil
        }
    }

    // The longest time between two days of one place: a February has a fifth Monday every 28 years, and every 40 where a century has no leap year.
    private static let periodsMax = 40
    private static let ends: [Substring: Period] = ["eow": .week, "eom": .month, "eoy": .year]
    private static let units: [Substring: Period] = ["week": .week, "month": .month, "year": .year]
    private static let ordinals: [Substring: Int] = ["first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5]

    /// The day that the first words name by its place, and takes them away; `nil` if they name none.
    func placedDay(_ words: inout ArraySlice<Substring>) throws(DateMistake) -> Day? {
        var rest = words
        guard let first = rest.popFirst() else { return nil }
        if let period = Self.ends[first] {
            words = rest
            return nearest(Place(), period)
        }
        guard let number = first == "the" ? rest.popFirst() : first else { return nil }
        guard let place = place(number, &rest) else {
            // `15th` alone; with a month it is a day of the year.
            guard let index = DateWords.ordinal(number), rest.first.flatMap(DateWords.month) == nil else { return nil }
            guard let day = nearest(Place(index: index), .month) else {
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
            found = days(of: period, offset).flatMap(place.day)
        } else if let month = DateWords.month(name) {
            if let year = rest.first.flatMap({ DateWords.number($0, digits: 4...4) }) {
                rest.removeFirst()
                found = days(of: .named(month), year - today.year).flatMap(place.day)
            } else {
                found = nearest(place, .named(month))
            }
        } else if let year = DateWords.number(name, digits: 4...4) {
            found = days(of: .year, year - today.year).flatMap(place.day)
        } else if let period = Self.units[name] {
            found = nearest(place, period)
        } else {
            return nil
        }
        let said = words[..<rest.startIndex]
        guard let found else { throw DateMistake(message: "There is no day “\(said.joined(separator: " "))”.") }
        words = rest
        return found
    }

    /// `end`, `last day`, `first monday`, `3rd friday`.
    private func place(_ number: Substring, _ rest: inout ArraySlice<Substring>) -> Place? {
        if number == "end" { return Place() }
        guard number == "last" || Self.ordinals[number] ?? DateWords.ordinal(number) != nil, let name = rest.first else {
            return nil
        }
        guard name == "day" || MomentWords.weekday(name) != nil else { return nil }
        rest.removeFirst()
        return Place(index: Self.ordinals[number] ?? DateWords.ordinal(number), weekday: MomentWords.weekday(name))
    }

    /// The nearest day of that place, today included.
    private func nearest(_ place: Place, _ period: Period) -> Day? {
        (0...Self.periodsMax).lazy.compactMap { days(of: period, direction.rawValue * $0).flatMap(place.day) }
            .first { direction == .future ? $0 >= today : $0 <= today }
    }

    /// The days of the stretch that is so many later, or of the month of that name in the year that is so many later; by number.
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

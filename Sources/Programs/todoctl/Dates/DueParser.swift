/// Understands dates as people write them.
///
/// `today`, `friday`, `in 3 days`, `2026-12-01`, `1 december`, each also with a time: `tomorrow 9:00`, `friday at 2pm`.
/// A weekday is the next one, never today. A day and month without a year is the next one, today included.
struct DueParser: Sendable {
    /// Why a text is no date.
    struct Mistake: Error, Equatable {
        var message: String
    }

    /// Seconds since 1970.
    var now: Int64
    var zone: Zone

    private var today: Day { zone.moment(at: now).day }

    /// Reads a date.
    func due(_ text: String) throws(Mistake) -> Due {
        var words = DueParser.words(text)
        guard !words.isEmpty else { throw Mistake(message: "A date is empty.") }
        if let instant = try span(&words, in: text) { return instant }
        guard let day = try day(&words, in: text) else {
            // A time alone is the next such time.
            guard let minute = try time(&words, in: text) else { throw unknown(text) }
            let moment = zone.moment(at: now)
            return Due(day: minute > moment.second / 60 ? moment.day : moment.day.adding(days: 1), minute: minute)
        }
        guard !words.isEmpty else { return Due(day: day) }
        guard let minute = try time(&words, in: text) else { throw unknown(text) }
        return Due(day: day, minute: minute)
    }

    /// `in 2 hours`, `in 30 minutes`: the clock on the wall after so much time has passed.
    private func span(_ words: inout [Substring], in text: String) throws(Mistake) -> Due? {
        guard words.count == 3, words[0] == "in", let count = DueParser.count(words[1]) else { return nil }
        let seconds: Int64
        switch words[2] {
        case "hour", "hours", "h": seconds = 3600
        case "minute", "minutes", "min": seconds = 60
        default: return nil
        }
        guard count <= 1_000_000 else { throw unknown(text) }
        let moment = zone.moment(at: now + Int64(count) * seconds)
        return Due(day: moment.day, minute: moment.second / 60)
    }

    private func day(_ words: inout [Substring], in text: String) throws(Mistake) -> Day? {
        let first = words[0]
        if let offset = ["today": 0, "tomorrow": 1, "yesterday": -1][first] {
            words.removeFirst()
            return today.adding(days: offset)
        }
        if let weekday = DueParser.weekday(first) {
            words.removeFirst()
            return try namedDay(&words, in: text, on: weekday) ?? today.adding(days: (weekday - today.weekday + 6) % 7 + 1)
        }
        if first == "in" || first == "next" { return try later(&words, in: text) }
        if first.utf8.count == 10, first.utf8.contains(UInt8(ascii: "-")) {
            guard let day = DueParser.isoDay(first) else { throw Mistake(message: "There is no day \(first).") }
            words.removeFirst()
            return day
        }
        return try namedDay(&words, in: text, on: nil)
    }

    /// `in 3 days`, `in a week`, `next month`.
    private func later(_ words: inout [Substring], in text: String) throws(Mistake) -> Day? {
        let isNext = words[0] == "next"
        if isNext, words.count > 1, let weekday = DueParser.weekday(words[1]) {
            words.removeFirst(2)
            return today.adding(days: (weekday - today.weekday + 6) % 7 + 1)
        }
        guard words.count > (isNext ? 1 : 2), let count = isNext ? 1 : DueParser.count(words[1]), count <= 1_000_000 else {
            throw unknown(text)
        }
        let day: Day? =
            switch words[isNext ? 1 : 2] {
            case "day", "days", "d": today.adding(days: count)
            case "week", "weeks", "w": today.adding(days: count * 7)
            case "month", "months": today.adding(months: count)
            case "year", "years": today.adding(months: count * 12)
            default: nil
            }
        guard let day, day.year <= 9999 else { throw unknown(text) }
        words.removeFirst(isNext ? 2 : 3)
        return day
    }

    /// `1 december 2026`, `dec 1`, without a year the day that `guess` gives; the words are taken away.
    static func namedDay(
        _ words: inout [Substring], guess: (_ month: Int, _ number: Int) -> Day?
    ) throws(Mistake) -> Day? {
        guard words.count >= 2 else { return nil }
        let number: Int
        let month: Int
        if let first = DueParser.number(words[0], digits: 1...2), let second = DueParser.month(words[1]) {
            (number, month) = (first, second)
        } else if let first = DueParser.month(words[0]), let second = DueParser.number(words[1], digits: 1...2) {
            (number, month) = (second, first)
        } else {
            return nil
        }
        words.removeFirst(2)
        var found: Day?
        if let first = words.first, let year = DueParser.number(first, digits: 4...4) {
            words.removeFirst()
            found = Day(year: year, month: month, day: number)
        } else {
            found = guess(month, number)
        }
        guard let found else { throw Mistake(message: "There is no day \(number) \(Day.monthNames[month - 1]).") }
        return found
    }

    /// `1 december 2026`, `dec 1`; `weekday` is what was written before it, and must fit.
    private func namedDay(_ words: inout [Substring], in text: String, on weekday: Int?) throws(Mistake) -> Day? {
        let found = try DueParser.namedDay(&words) { month, number in
            // Eight years on there has been a 29 February, even around a century without one.
            (today.year...today.year + 8).lazy.compactMap { Day(year: $0, month: month, day: number) }.first { $0 >= today }
        }
        guard let found else { return nil }
        if let weekday, weekday != found.weekday {
            throw Mistake(message: "\(found.text) is a \(Day.weekdayNames[found.weekday]), not a \(Day.weekdayNames[weekday]).")
        }
        return found
    }

    /// `14:30`, `at 9:00`, `9am`, `9 am`: must be all that is left.
    private func time(_ words: inout [Substring], in text: String) throws(Mistake) -> Int? {
        if words.count > 1, words[0] == "at" { words.removeFirst() }
        let joined = words.joined()
        words = []
        return DueParser.clock(Substring(joined))
    }

    private func unknown(_ text: String) -> Mistake {
        Mistake(
            message: "I don't understand the date “\(Visible.text(text))”. "
                + "Try tomorrow, friday, in 3 days, 2026-12-01 or “2026-12-01 14:30”.")
    }
}

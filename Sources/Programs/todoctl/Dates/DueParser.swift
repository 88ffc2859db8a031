import Reducing

/// Understands dates as people write them.
///
/// `today`, `friday`, `in 3 days`, `2026-12-01`, `1 december`, each also with a time: `tomorrow 9:00`, `friday at 2pm`, `today noon`.
/// A weekday is the next one, never today. A day and month without a year, and a time without a day, is the next one.
struct DueParser: Sendable {
    /// Seconds since 1970.
    var now: Int64
    var zone: Zone

    private var days: DayReader { DayReader(today: zone.moment(at: now).day, direction: .future) }

    /// Reads a date.
    func due(_ text: String) throws(DateMistake) -> Due {
        var words = DateWords.words(of: text)
        guard !words.isEmpty else { throw DateMistake(message: "A date is empty.") }
        if let due = try instant(words, in: text) { return due }
        guard let day = try day(&words, in: text) else {
            let minute = try minute(words, in: text)
            let moment = zone.moment(at: now)
            return Due(day: minute > moment.second / 60 ? moment.day : moment.day.adding(days: 1), minute: minute)
        }
        guard !words.isEmpty else { return Due(day: day) }
        return Due(day: day, minute: try minute(words, in: text))
    }

    /// `in 2 hours`, `in 30 minutes`: the clock on the wall after so much time has passed.
    private func instant(_ words: [Substring], in text: String) throws(DateMistake) -> Due? {
        guard words.count == 3, words[0] == "in", let shift = TimeShift(words[1], words[2], .future),
            let seconds = shift.seconds
        else { return nil }
        guard shift.unit != .second else { throw tooExact(text) }
        let moment = zone.moment(at: now + seconds)
        return Due(day: moment.day, minute: moment.second / 60)
    }

    private func day(_ words: inout [Substring], in text: String) throws(DateMistake) -> Day? {
        switch words[0] {
        case "in":
            guard words.count > 2 else { throw unknown(text) }
            defer { words.removeFirst(3) }
            return try day(after: TimeShift(words[1], words[2], .future), in: text)
        case "next":
            guard words.count > 1 else { throw unknown(text) }
            defer { words.removeFirst(2) }
            if let weekday = MomentWords.weekday(words[1]) { return days.nearest(weekday: weekday) }
            return try day(after: TimeShift.Unit(words[1]).map { TimeShift(count: 1, unit: $0) }, in: text)
        default: return try days.day(&words)
        }
    }

    private func day(after shift: TimeShift?, in text: String) throws(DateMistake) -> Day {
        guard let day = shift?.day(after: days.today), day.year <= 9999 else { throw unknown(text) }
        return day
    }

    /// The minute of a time of day, which must be all that is left.
    private func minute(_ words: [Substring], in text: String) throws(DateMistake) -> Int {
        guard let clock = ClockReading(words) else { throw unknown(text) }
        guard !clock.hasSeconds else { throw tooExact(text) }
        guard clock.offset == nil else {
            throw DateMistake(
                message: "A date has no offset: “\(Visible.text(text))”. Write the time that your clock will show.")
        }
        return clock.second / 60
    }

    private func tooExact(_ text: String) -> DateMistake {
        DateMistake(message: "A date has a minute, but no seconds: “\(Visible.text(text))”.")
    }

    private func unknown(_ text: String) -> DateMistake {
        DateMistake(
            message: "I don't understand the date “\(Visible.text(text))”. "
                + "Try tomorrow, friday, in 3 days, 2026-12-01 or “2026-12-01 14:30”.")
    }
}

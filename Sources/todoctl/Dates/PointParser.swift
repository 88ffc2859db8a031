import TodoAPI

/// Understands moments of the log as people write them.
///
/// `1234`, `-3` or `@-3`, `2026-11-20 14:00`, `yesterday 9:00`, `10 minutes ago`, `start`, `now`, a bookmark. A weekday is the last
/// one, never today; a day without a year, and a time without a day, the last there was.
struct PointParser: Sendable {
    /// What a day alone means.
    enum Edge: Sendable {
        /// Its first moment.
        case beginning
        /// Its last moment, or now if that comes first.
        case end
    }

    /// What was understood.
    struct Reading: Sendable, Equatable {
        var point: Point
        /// The instant in microseconds since 1970, of a point that is a time.
        var time: Int64? { point.time }
    }

    /// Words that stand for moments, or begin one: no bookmark has such a name.
    static let reserved: Set<Substring> = [
        "start", "now", "head", "base", "ago", "yesterday", "today", "tomorrow", "noon", "midnight", "last", "next", "at",
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue", "wed", "thu", "fri", "sat",
        "sun",
    ]

    /// Seconds since 1970.
    var now: Int64
    var zone: Zone

    private var today: Day { zone.moment(at: now).day }

    /// Reads a moment.
    func point(_ text: String, edge: Edge = .beginning) throws(DueParser.Mistake) -> Reading {
        var words = DueParser.words(text)
        guard let first = words.first else { throw .init(message: "A point in time is empty.") }
        if words.count == 1 {
            if let point = try position(first) { return Reading(point: point) }
            if first.first?.isLetter == true, !Self.reserved.contains(first) {
                return Reading(point: Point(bookmark: String(text.filter { !$0.isWhitespace })))
            }
        }
        if words.last == "ago" { return try span(words, in: text) }
        if first == "last" { words.removeFirst() }
        guard let day = try day(&words, in: text) else {
            guard let second = Self.clock(&words) else { throw unknown(text) }
            let moment = zone.moment(at: now)
            return instant(second <= moment.second ? moment.day : moment.day.adding(days: -1), second)
        }
        if words.isEmpty {
            guard edge == .end else { return instant(day, 0) }
            // What has not been yet can't be asked for.
            if day == today { return Reading(point: .now) }
            return Reading(point: Point(time: zone.instant(day.adding(days: 1), 0) * 1_000_000 - 1))
        }
        guard let second = Self.clock(&words) else { throw unknown(text) }
        return instant(day, second)
    }

    /// `1234`, `-3`, `@-3`, `start`, `now`.
    private func position(_ word: Substring) throws(DueParser.Mistake) -> Point? {
        switch word {
        case "start", "base": return .start
        case "now", "head": return .now
        default: break
        }
        let number = word.hasPrefix("@") ? word.dropFirst() : word
        let digits = number.hasPrefix("-") ? number.dropFirst() : number
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        guard let value = UInt64(digits), value < 1 << 53 else {
            throw .init(message: "\(Visible.text(String(word))) is too large for a record.")
        }
        return number.hasPrefix("-") ? Point(back: value) : Point(sequence: value)
    }

    /// `10 minutes ago`, `a week ago`.
    private func span(_ words: [Substring], in text: String) throws(DueParser.Mistake) -> Reading {
        guard words.count == 3, let count = DueParser.count(words[0]), count <= 1_000_000 else { throw unknown(text) }
        let moment = zone.moment(at: now)
        let day: Day?
        switch words[1] {
        case "second", "seconds", "sec", "s": return Reading(point: Point(time: (now - Int64(count)) * 1_000_000))
        case "minute", "minutes", "min": return Reading(point: Point(time: (now - Int64(count) * 60) * 1_000_000))
        case "hour", "hours", "h": return Reading(point: Point(time: (now - Int64(count) * 3600) * 1_000_000))
        case "day", "days", "d": day = moment.day.adding(days: -count)
        case "week", "weeks", "w": day = moment.day.adding(days: -count * 7)
        case "month", "months": day = moment.day.adding(months: -count)
        case "year", "years": day = moment.day.adding(months: -count * 12)
        default: throw unknown(text)
        }
        guard let day, day.year >= 1970 else { throw unknown(text) }
        return instant(day, moment.second)
    }

    private func day(_ words: inout [Substring], in text: String) throws(DueParser.Mistake) -> Day? {
        guard let first = words.first else { return nil }
        if let offset = ["today": 0, "tomorrow": 1, "yesterday": -1][first] {
            words.removeFirst()
            return today.adding(days: offset)
        }
        if let weekday = DueParser.weekday(first) {
            words.removeFirst()
            let named = try namedDay(&words)
            if let named, named.weekday != weekday {
                throw .init(
                    message: "\(named.text) is a \(Day.weekdayNames[named.weekday]), not a \(Day.weekdayNames[weekday]).")
            }
            return named ?? today.adding(days: -((today.weekday - weekday + 6) % 7 + 1))
        }
        if first.utf8.count == 10, first.utf8.contains(UInt8(ascii: "-")) {
            guard let day = DueParser.isoDay(first) else {
                throw .init(message: "There is no day \(Visible.text(String(first))).")
            }
            words.removeFirst()
            return day
        }
        return try namedDay(&words)
    }

    /// `20 november 2026`, `nov 20`.
    private func namedDay(_ words: inout [Substring]) throws(DueParser.Mistake) -> Day? {
        try DueParser.namedDay(&words) { month, number in
            // Eight years back there has been a 29 February, even around a century without one.
            (today.year - 8...today.year).reversed().lazy.compactMap { Day(year: $0, month: month, day: number) }
                .first { $0 <= today }
        }
    }

    /// `14:30`, `14:30:05`, `at 9:00`, `9am`, `noon`: must be all that is left.
    private static func clock(_ words: inout [Substring]) -> Int? {
        if words.count > 1, words[0] == "at" { words.removeFirst() }
        let joined = words.joined()
        words = []
        switch joined {
        case "noon": return 43_200
        case "midnight": return 0
        default: break
        }
        let parts = joined.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return DueParser.clock(Substring(joined)).map { $0 * 60 } }
        guard let minute = DueParser.clock(parts[0] + ":" + parts[1]), let second = DueParser.number(parts[2], digits: 2...2),
            second < 60
        else { return nil }
        return minute * 60 + second
    }

    private func instant(_ day: Day, _ second: Int) -> Reading {
        Reading(point: Point(time: zone.instant(day, second) * 1_000_000))
    }

    private func unknown(_ text: String) -> DueParser.Mistake {
        .init(
            message: "I don't understand the point in time “\(Visible.text(text))”. "
                + "Try 1234, @-3, “2026-11-20 14:00”, “yesterday 9:00”, “10 minutes ago”, start, now or the name of a bookmark.")
    }
}

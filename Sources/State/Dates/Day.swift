import ChronicleValues

/// A day of the civil (Gregorian) calendar, without a time zone.
public struct Day: Sendable, Hashable, Comparable {
    /// The year; 1 to 9999 for a parsed day.
    public let year: Int
    public let month: Int
    public let day: Int
    static let weekdayNames = MomentWords.weekdays
    static let monthNames = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
    ]

    /// Returns nil if the day doesn't exist or the year is outside 1 to 9999.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= Day.length(ofMonth: month, year: year) else {
            return nil
        }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Parses `2026-12-01`; nil if there is no such day.
    public init?(iso word: Substring) {
        // Parses bytes for speed, because loading all todos parses one date per todo.
        let bytes = word.utf8Span.span
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        func number(_ places: Range<Int>) -> Int? {
            var number = 0
            for place in places {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) else { return nil }
                number = number * 10 + Int(bytes[place] - UInt8(ascii: "0"))
            }
            return number
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Converts a number of days since 1 January 1970, counting years from March so that the leap day is the last day.
    public init(number: Int) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1 January 1970.
    public var number: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The weekday, 0 for Sunday.
    public var weekday: Int { ((number + 4) % 7 + 7) % 7 }
    public func adding(days: Int) -> Day { Day(number: number + days) }

    /// Returns the same day of another month, or its last day if it is shorter; nil outside the years 1 to 9999.
    public func adding(months: Int) -> Day? {
        let index = year * 12 + month - 1 + months
        let (year, month) = (index / 12, index % 12 + 1)
        guard (1...9999).contains(year) else { return nil }
        return Day(year: year, month: month, day: min(day, Day.length(ofMonth: month, year: year)))
    }

    static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    public static func < (left: Day, right: Day) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// The ISO 8601 form, `2026-12-01`.
    public var text: String {
        "\(DateWords.padded(year, to: 4))-\(DateWords.padded(month, to: 2))-\(DateWords.padded(day, to: 2))"
    }
    /// `Tuesday 1 December 2026`.
    public var spelled: String { "\(Day.weekdayNames[weekday]) \(day) \(Day.monthNames[month - 1]) \(year)" }
    /// `Tue 1 Dec 2026`.
    public var abbreviated: String {
        "\(Day.weekdayNames[weekday].prefix(3)) \(day) \(Day.monthNames[month - 1].prefix(3)) \(year)"
    }
}

/// When a todo is due: a day or a minute of a day, in local time without a zone.
public struct Due: Sendable, Hashable {
    public var day: Day
    /// The minute of the day, 0 to 1439; nil for a whole day.
    public var minute: Int?

    public init(day: Day, minute: Int? = nil) { (self.day, self.minute) = (day, minute) }

    /// Parses `2026-12-01` or `2026-12-01T14:30`, the format of the daemon.
    public init?(text: String) {
        let end = text.utf8.firstIndex(of: UInt8(ascii: "T"))
        guard let day = Day(iso: text[..<(end ?? text.endIndex)]) else { return nil }
        self.day = day
        if let end {
            guard let minute = ClockReading.minute(of: text[end...].dropFirst()) else { return nil }
            self.minute = minute
        }
    }

    /// `2026-12-01` or `2026-12-01T14:30`.
    public var text: String { minute.map { "\(day.text)T\(Due.clock($0))" } ?? day.text }

    /// Whether the due date has passed: a day at its end, a minute at its beginning.
    public func isOver(at now: Moment) -> Bool {
        if day != now.day { return day < now.day }
        guard let minute else { return false }
        return minute <= now.second / 60
    }

    /// Whether the day or the minute has begun.
    public func hasCome(at now: Moment) -> Bool { self <= Due(minuteOf: now) }
    public init(minuteOf moment: Moment) { self.init(day: moment.day, minute: moment.second / 60) }

    /// Formats a minute of the day as `14:30`.
    public static func clock(_ minute: Int) -> String {
        "\(DateWords.padded(minute / 60, to: 2)):\(DateWords.padded(minute % 60, to: 2))"
    }

    /// The default time of a reminder for a whole day in minutes: 9:00.
    public static let morningMinute = 540

    /// Returns the local time of a reminder.
    ///
    /// If both the due date and the distance are in whole days, the reminder is at 9:00. Otherwise, it counts from the beginning of the
    /// day or minute.
    public func reminder(minutesBefore minutes: Int) -> Due {
        let begin = minute ?? (minutes.isMultiple(of: 1440) ? Self.morningMinute : 0)
        let (past, rest) = (day.number * 1440 + begin - minutes).quotientAndRemainder(dividingBy: 1440)
        return rest < 0 ? Due(day: Day(number: past - 1), minute: rest + 1440) : Due(day: Day(number: past), minute: rest)
    }
}

extension Due: Comparable {
    /// Orders by day, then by minute; a whole day comes before its minutes.
    public static func < (left: Due, right: Due) -> Bool { (left.day, left.minute ?? -1) < (right.day, right.minute ?? -1) }
}

/// Converts between instants and local time.
public struct Zone: Sendable {
    /// Returns the UTC offset in seconds, positive to the east, for a Unix time in seconds.
    public var offset: @Sendable (Int64) -> Int

    public init(offset: @escaping @Sendable (Int64) -> Int) { self.offset = offset }

    public func moment(at seconds: Int64) -> Moment {
        let local = Int(seconds) + offset(seconds)
        let day = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
        return Moment(day: Day(number: day), second: local - day * 86_400)
    }

    /// Returns the Unix time in seconds of a local time.
    ///
    /// If clocks are set back and the time occurs twice, returns the first instant. If clocks skip the time, returns the instant that
    /// is later by the skipped duration.
    public func instant(_ day: Day, _ second: Int) -> Int64 {
        let local = Int64(day.number) * 86_400 + Int64(second)
        // Only the offsets of the previous and the next day can apply.
        let (before, after) = (local - Int64(offset(local - 86_400)), local - Int64(offset(local + 86_400)))
        let wanted = Moment(day: day, second: second)
        return [before, after].filter { moment(at: $0) == wanted }.min() ?? before
    }

    /// Formats the UTC offset at a Unix time: `+0100`.
    public func offsetText(at seconds: Int64) -> String {
        let minutes = offset(seconds) / 60
        let digits = DateWords.padded(abs(minutes) / 60 * 100 + abs(minutes) % 60, to: 4)
        return (minutes < 0 ? "-" : "+") + digits
    }
}

public struct Moment: Sendable, Equatable {
    public var day: Day
    /// The second of the day.
    public var second: Int

    public init(day: Day, second: Int) { (self.day, self.second) = (day, second) }

    /// `2026-12-01 14:30:05`.
    public var text: String { "\(day.text) \(Due.clock(second / 60)):\(DateWords.padded(second % 60, to: 2))" }
}

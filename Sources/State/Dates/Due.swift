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
}

extension Due: Comparable {
    /// Orders by day, then by minute; a whole day comes before its minutes.
    public static func < (left: Due, right: Due) -> Bool { (left.day, left.minute ?? -1) < (right.day, right.minute ?? -1) }
}

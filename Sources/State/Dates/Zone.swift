/// Converts between instants and local time.
public struct Zone: Sendable {
    /// Returns the UTC offset in seconds, positive to the east, for a Unix time in seconds.
    public var offset: @Sendable (Int64) -> Int

    public init(offset: @escaping @Sendable (Int64) -> Int) { self.offset = offset }

    /// Returns the local time at a Unix time in seconds.
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

/// A local date and time.
public struct Moment: Sendable, Equatable {
    public var day: Day
    /// The second of the day.
    public var second: Int

    public init(day: Day, second: Int) { (self.day, self.second) = (day, second) }

    /// `2026-12-01 14:30:05`.
    public var text: String { "\(day.text) \(Due.clock(second / 60)):\(DateWords.padded(second % 60, to: 2))" }
}

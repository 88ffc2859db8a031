/// Turns instants into what calendar and clock say in one place.
public struct Zone: Sendable {
    /// Seconds east of Greenwich at an instant, given in seconds since 1970.
    public var offset: @Sendable (Int64) -> Int

    /// A zone with these offsets.
    public init(offset: @escaping @Sendable (Int64) -> Int) { self.offset = offset }

    /// What calendar and clock say at an instant, in seconds since 1970.
    public func moment(at seconds: Int64) -> Moment {
        let local = Int(seconds) + offset(seconds)
        let day = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
        return Moment(day: Day(number: day), second: local - day * 86_400)
    }

    /// The instant, in seconds since 1970, at which calendar and clock say so.
    ///
    /// Of two such instants, where clocks are put back, it is the first; where they skip it, they show as much later.
    public func instant(_ day: Day, _ second: Int) -> Int64 {
        let local = Int64(day.number) * 86_400 + Int64(second)
        // What holds a day before and a day after are the only two offsets that can hold in between.
        let (before, after) = (local - Int64(offset(local - 86_400)), local - Int64(offset(local + 86_400)))
        let wanted = Moment(day: day, second: second)
        return [before, after].filter { moment(at: $0) == wanted }.min() ?? before
    }

    /// How far the clocks are ahead of Greenwich at an instant: `+0100`.
    public func offsetText(at seconds: Int64) -> String {
        let minutes = offset(seconds) / 60
        let digits = DateWords.padded(abs(minutes) / 60 * 100 + abs(minutes) % 60, to: 4)
        return (minutes < 0 ? "-" : "+") + digits
    }
}

/// What calendar and clock on the wall say.
public struct Moment: Sendable, Equatable {
    public var day: Day
    /// The second of the day.
    public var second: Int

    public init(day: Day, second: Int) {
        self.day = day
        self.second = second
    }

    /// `2026-12-01 14:30:05`.
    public var text: String { "\(day.text) \(Due.clock(second / 60)):\(DateWords.padded(second % 60, to: 2))" }
}

import Glibc

/// Turns instants into what calendar and clock say in one place.
struct Zone: Sendable {
    /// Seconds east of Greenwich at an instant, given in seconds since 1970.
    var offset: @Sendable (Int64) -> Int

    /// What calendar and clock say at an instant, in seconds since 1970.
    func moment(at seconds: Int64) -> Moment {
        let local = Int(seconds) + offset(seconds)
        let day = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
        return Moment(day: Day(number: day), second: local - day * 86_400)
    }

    /// The instant, in seconds since 1970, at which calendar and clock say so.
    ///
    /// Of two such instants, where clocks are put back, it is the first; where they skip it, they show as much later.
    func instant(_ day: Day, _ second: Int) -> Int64 {
        let local = Int64(day.number) * 86_400 + Int64(second)
        // What holds a day before and a day after are the only two offsets that can hold in between.
        let (before, after) = (local - Int64(offset(local - 86_400)), local - Int64(offset(local + 86_400)))
        let wanted = Moment(day: day, second: second)
        return [before, after].filter { moment(at: $0) == wanted }.min() ?? before
    }

    /// How far the clocks are ahead of Greenwich at an instant: `+0100`.
    func offsetText(at seconds: Int64) -> String {
        let minutes = offset(seconds) / 60
        let digits = Digits.padded(abs(minutes) / 60 * 100 + abs(minutes) % 60, to: 4)
        return (minutes < 0 ? "-" : "+") + digits
    }

    /// The zone of the user: TZ, or that of the machine.
    static let user = Zone { seconds in
        var time = time_t(seconds)
        var parts = tm()
        guard localtime_r(&time, &parts) != nil else { return 0 }
        return parts.tm_gmtoff
    }
}

/// What calendar and clock on the wall say.
struct Moment: Sendable, Equatable {
    var day: Day
    /// The second of the day.
    var second: Int

    /// `2026-12-01 14:30:05`.
    var text: String { "\(day.text) \(Due.clock(second / 60)):\(Digits.padded(second % 60, to: 2))" }
    /// `Tuesday 1 December 2026 14:30`.
    var spelled: String { "\(day.spelled) \(Due.clock(second / 60))" }
}

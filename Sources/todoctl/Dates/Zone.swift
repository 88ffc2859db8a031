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

    /// The zone of the user: TZ, or that of the machine.
    static let user = Zone { seconds in
        var time = time_t(seconds)
        var parts = tm()
        guard localtime_r(&time, &parts) != nil else { return 0 }
        return parts.tm_gmtoff
    }
}

import Dates
import Glibc

extension Zone {
    /// The zone of the user: TZ, or that of the machine.
    static let user = Zone { seconds in
        var time = time_t(seconds)
        var parts = tm()
        guard localtime_r(&time, &parts) != nil else { return 0 }
        return parts.tm_gmtoff
    }
}

extension Failure {
    /// A date or a point in time that can't be read; what a person wrote is visible text in it.
    init(_ mistake: DateMistake) { self.init(.usage, Visible.text(mistake.message)) }
}

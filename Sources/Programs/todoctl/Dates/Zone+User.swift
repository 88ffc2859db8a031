import Dates
import Glibc

extension Zone {
    /// The user's zone: TZ, or the machine's zone.
    static let user = Zone { seconds in
        var time = time_t(seconds)
        var parts = tm()
        guard localtime_r(&time, &parts) != nil else { return 0 }
        return parts.tm_gmtoff
    }

    /// A zone by its name, such as `Europe/Berlin`, if the machine knows it.
    static func named(_ name: String) -> Zone? {
        let isName = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
        guard isName, !name.isEmpty, !name.hasPrefix("/"), !name.contains(".."),
            access("/usr/share/zoneinfo/\(name)", R_OK) == 0
        else { return nil }
        return Zone { seconds in
            // The C library has one global zone.
            let own = Environment.variable("TZ")
            setenv("TZ", name, 1)
            tzset()
            defer {
                if let own { setenv("TZ", own, 1) } else { unsetenv("TZ") }
                tzset()
            }
            return Zone.user.offset(seconds)
        }
    }
}

extension Failure {
    /// The message may quote user input, so it is made visible.
    init(_ mistake: DateMistake) { self.init(.usage, Visible.text(mistake.message)) }
}

import Dates
import Glibc

extension LocalClock {
    /// The clock of the machine, and the zone of the process: TZ, or that of the machine.
    public static let machine = LocalClock(
        zone: Zone { seconds in
            var time = time_t(seconds)
            var parts = tm()
            // Else the zone stays that of the first look, wherever the machine has gone since.
            tzset()
            guard localtime_r(&time, &parts) != nil else { return 0 }
            return parts.tm_gmtoff
        },
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
        })
}

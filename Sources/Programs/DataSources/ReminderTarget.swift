public import Chronicle
public import Dates
public import FeatureTodos
import Glibc

/// How users are reminded of todos.
public protocol ReminderTarget: Sendable {
    /// Reminds now; the ticket's id is the same at every attempt.
    func remind(_ reminder: Reminder, _ ticket: CommandTicket) async throws(CommandFailure)
}

public struct Reminder: Sendable, Equatable {
    /// The id of the todo.
    public var id: UInt64
    /// Its title, as it is now.
    public var title: String
    /// When it is due, such as `2026-12-01T14:30`; empty if it is not.
    public var due: String

    public init(id: UInt64, title: String, due: String = "") {
        self.id = id
        self.title = title
        self.due = due
    }
}

/// The wall clock and the time zone of the daemon.
public struct LocalClock: Sendable {
    /// Microseconds since 1970.
    public var now: @Sendable () -> Int64
    public var zone: Zone

    public init(zone: Zone, now: @escaping @Sendable () -> Int64) {
        self.zone = zone
        self.now = now
    }

    /// Microseconds until the wall clock reaches a minute or the begin of a day; negative if it is past.
    public func microseconds(until time: FeatureTodos.Due) -> Int64 {
        guard let day = Day(year: time.year, month: time.month, day: time.day) else { return 0 }
        return (zone.instant(day, (time.minute ?? 0) * 60) * 1_000_000).subtractingReportingOverflow(now()).partialValue
    }
}

extension LocalClock {
    /// The clock of the machine, and the zone of the process: TZ, or that of the machine.
    public static let machine = LocalClock(
        zone: Zone { seconds in
            var time = time_t(seconds)
            var parts = tm()
            // Without this, a change of the machine's zone would go unnoticed.
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

public import Dates
public import FeatureTodos
public import Reducing

/// Who reminds somebody of a todo.
public protocol ReminderTarget: Sendable {
    /// Reminds of it now; the ticket's id is the same at every attempt.
    func remind(_ reminder: Reminder, _ ticket: CommandTicket) async throws(CommandFailure)
}

/// What somebody is reminded of.
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

/// What clocks and calendars show where the daemon is.
public struct LocalClock: Sendable {
    /// Microseconds since 1970.
    public var now: @Sendable () -> Int64
    public var zone: Zone

    /// A clock.
    public init(zone: Zone, now: @escaping @Sendable () -> Int64) {
        self.zone = zone
        self.now = now
    }

    /// How many microseconds pass until clocks show a minute, or a day begins; 0 or less once they did.
    public func microseconds(until time: FeatureTodos.Due) -> Int64 {
        guard let day = Day(year: time.year, month: time.month, day: time.day) else { return 0 }
        return (zone.instant(day, (time.minute ?? 0) * 60) * 1_000_000).subtractingReportingOverflow(now()).partialValue
    }
}

extension Due {
    /// The default time of a reminder for a whole day in minutes: 9:00.
    public static let morningMinute = 540

    /// Returns the local time of a reminder.
    ///
    /// If both the due date and the distance are in whole days, the reminder is at 9:00. Otherwise, it counts from the beginning of the
    /// day or minute.
    public func reminder(minutesBefore minutes: Int) -> Due {
        let begin = minute ?? (minutes.isMultiple(of: 1440) ? Self.morningMinute : 0)
        let (past, rest) = (day.number * 1440 + begin - minutes).quotientAndRemainder(dividingBy: 1440)
        return rest < 0 ? Due(day: Day(number: past - 1), minute: rest + 1440) : Due(day: Day(number: past), minute: rest)
    }
}

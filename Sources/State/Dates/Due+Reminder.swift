extension Due {
    /// The minute at which one is reminded of a day without a time: 9:00.
    public static let morningMinute = 540

    /// What clocks show so many minutes before: whole days before a day as a whole it is 9:00, and anything else counts from when it begins.
    public func reminder(minutesBefore minutes: Int) -> Due {
        let begin = minute ?? (minutes.isMultiple(of: 1440) ? Self.morningMinute : 0)
        let (past, rest) = (day.number * 1440 + begin - minutes).quotientAndRemainder(dividingBy: 1440)
        return rest < 0 ? Due(day: Day(number: past - 1), minute: rest + 1440) : Due(day: Day(number: past), minute: rest)
    }
}

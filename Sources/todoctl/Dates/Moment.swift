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

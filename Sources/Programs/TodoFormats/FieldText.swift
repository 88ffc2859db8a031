import Dates

/// A field of a todo in CSV or JSON.
struct FieldText {
    let name: String
    let text: String
    let line: Int
    let zone: Zone

    func mistaken(_ what: String) -> FormatError { FormatError(line: line, "\(name) is \(what): “\(text)”") }

    func due() throws(FormatError) -> Due {
        guard let due = FormatTime.due(iso: text, in: zone) else { throw mistaken("not a date such as 2026-12-01T14:30") }
        return due
    }

    /// Microseconds since 1970.
    func time() throws(FormatError) -> Int64 {
        guard let time = FormatTime.microseconds(iso: text, in: zone) else {
            throw mistaken(Self.noTime)
        }
        return time
    }

    static let noTime = "not a time such as 2026-12-01T14:30:00Z"

    func rule() throws(FormatError) -> Recurrence {
        guard let rule = try? Recurrence(text) else { throw mistaken("not a rule such as “every monday”") }
        return rule
    }

    /// The duration between a reminder and the due date.
    func reminder() throws(FormatError) -> ForeignReminder {
        guard let minutes = FormatDuration.minutes(text) else { throw mistaken(Self.noDuration) }
        return .before(minutes: minutes)
    }

    static let noDuration = "not a duration such as PT15M, at most ten years"
}

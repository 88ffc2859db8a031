import Dates

/// A reminder as a VALARM (RFC 5545): a display alarm at a time, or a duration before the due date.
enum CalendarAlarm {
    private static let component = "VALARM"
    private static let trigger = "TRIGGER"

    /// The names and values of its lines; empty without a reminder.
    static func lines(_ todo: ForeignTodo, _ place: FormatPlace) -> [(key: String, value: String)] {
        let line: (key: String, value: String)
        switch todo.reminder {
        case .at(let time)?: line = ("\(trigger);VALUE=DATE-TIME", FormatTime.basic(place.seconds(of: time)))
        case .before(let minutes)?:
            guard todo.due != nil else { return [] }
            line = ("\(trigger);RELATED=END", (minutes > 0 ? "-" : "") + FormatDuration.text(minutes))
        case nil: return []
        }
        let description = (key: "DESCRIPTION", value: CalendarText.escaped(todo.title))
        return [("BEGIN", component), ("ACTION", "DISPLAY"), description, line, ("END", component)]
    }

    /// Parses all lines of an alarm; `nil` if the alarm contains anything that a reminder can't express.
    static func reminder(_ component: String, of todo: ForeignTodo, _ place: FormatPlace) -> ForeignReminder? {
        guard let lines = try? CalendarLines.read(Array(component.utf8)), lines.first?.value.uppercased() == Self.component else {
            return nil
        }
        var reminder: ForeignReminder?
        for line in lines.dropFirst().dropLast() {
            switch line.name {
            case "ACTION" where line.value.uppercased() == "DISPLAY": continue
            case "DESCRIPTION" where Words.trimmed(CalendarText.plain(line.value)).utf8.elementsEqual(todo.title.utf8): continue
            case trigger where reminder == nil:
                reminder = self.reminder(line, of: todo, place)
                if reminder == nil { return nil }
            default: return nil
            }
        }
        return reminder
    }

    private static func reminder(_ trigger: CalendarLine, of todo: ForeignTodo, _ place: FormatPlace) -> ForeignReminder? {
        if trigger.parameter("VALUE")?.uppercased() == "DATE-TIME" {
            guard let time = BasicTime(trigger.value), let second = time.second, second % 60 == 0, time.isUTC else { return nil }
            return .at(place.due(at: time.seconds(in: place.zone)))
        }
        // By default the trigger is relative to DTSTART, if there is one.
        let isOfDue = trigger.parameter("RELATED")?.uppercased() == "END" || trigger.parameters.isEmpty && todo.wait == nil
        guard isOfDue, todo.due != nil else { return nil }
        let isBefore = trigger.value.hasPrefix("-")
        guard let minutes = FormatDuration.minutes(trigger.value.dropFirst(isBefore ? 1 : 0)) else { return nil }
        return isBefore || minutes == 0 ? .before(minutes: minutes) : nil
    }
}

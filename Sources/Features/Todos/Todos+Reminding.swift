import Dates
import Fields

extension Todo {
    /// What asks for its reminder, if one is still to come.
    ///
    /// Without a zone it is due when clocks show that minute where they are furthest ahead; the latest wins.
    func reminder(from now: Int64) -> [Todos.Command] {
        guard let time = comingReminder, let day = Day(year: time.year, month: time.month, day: time.day) else { return [] }
        let seconds = Int64(day.number) * 86_400 + Int64(time.minute ?? 0) * 60 - Todos.earliestSeconds
        let (rest, isPast) = (seconds * 1_000_000).subtractingReportingOverflow(now)
        return [.remind(id, at: time, after: isPast ? 0 : max(0, rest))]
    }

    /// What is asked for where one todo became another: the reminder of now, or that the one of before is forgotten.
    func reminder(insteadOf old: Todo?, from now: Int64) -> [Todos.Command] {
        guard old?.comingReminder != comingReminder else { return [] }
        return comingReminder == nil ? [.forget(id)] : reminder(from: now)
    }
}

extension Todos {
    /// How far clocks can be ahead of those in Greenwich.
    static let earliestSeconds: Int64 = 14 * 3600

    /// Changes a todo, and asks for its reminder, or that it is forgotten, where that became another.
    static func update(
        _ id: UInt64, in state: inout State, _ context: Context, _ change: (inout Todo) -> Void
    ) -> [Command] {
        state.items.update(id) { (todo: inout Todo) -> [Command] in
            let old = todo.comingReminder == nil ? nil : todo
            change(&todo)
            return todo.reminder(insteadOf: old, from: context.time)
        } ?? []
    }

    // The reason is more than the end of a title that long.
    private static let titleBytesToldMax = 1_024

    /// What a fact tells of a failure, with the title of the todo that it is about where there is room for it and the reason.
    public static func failure(toldBy fact: Action, in state: State) -> String? {
        guard case .remindFailed(let id, _, let reason) = fact, let title = state.items.read(id, { $0.title }) else {
            return failure(toldBy: fact)
        }
        return "nobody could be reminded of \(id): \(title.prefix(bytesMax: titleBytesToldMax)) (\(reason))"
    }

    /// What is asked for because a todo is about to go.
    static func forgetting(_ id: UInt64, in state: State) -> [Command] {
        state.items.read(id) { $0.comingReminder != nil } == true ? [.forget(id)] : []
    }
}

/// Reminders that are so long before the due.
///
/// Which time that is stands in the todo as well, and moves in the same edit as the due: so the fold computes nothing.
extension Todos {
    static var twoReminders: Refusal {
        Refusal("BadReminder", "a reminder has a time, or is so long before the due; leave one of them out")
    }

    /// The time so long before a due.
    static func reminder(_ before: Int64, aheadOf due: Due?) throws(Refusal) -> Due {
        guard let due, let day = Day(of: due) else {
            throw Refusal("BadReminder", "a reminder that is so long before the due needs a todo that is due")
        }
        let time = Dates.Due(day: day, minute: due.minute).reminder(minutesBefore: Int(before / 60_000_000))
        guard (0...Limits.remindBeforeMax).contains(before), let reminder = Due(time.day, minute: time.minute) else {
            throw Refusal("BadReminder", "a reminder is at most ten years before the due, and in the year 1 or later")
        }
        return reminder
    }

    /// Has the reminder follow the due, or no longer, as an edit says.
    static func prepareReminder(_ changes: inout TodoChanges, of todo: Todo?) throws(Refusal) {
        let due = if let change = changes.due { change.outcome } else { todo?.due }
        if let before = changes.remindBefore, before >= 0 {
            guard changes.remind == nil else { throw twoReminders }
            changes.remind = .set(try reminder(before, aheadOf: due))
        } else if changes.remind != nil || changes.remindBefore != nil {
            changes.remindBefore = todo?.remindBefore == nil ? nil : -1
        } else if let before = todo?.remindBefore {
            changes.remind = try due == nil ? .clear : .set(reminder(before, aheadOf: due))
            if due == nil { changes.remindBefore = -1 }
        }
    }
}

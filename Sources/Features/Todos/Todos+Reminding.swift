import Chronicle
import Dates

extension Todo {
    /// Returns the command for a pending reminder.
    ///
    /// The time has no zone, so the delay ends when the earliest time zone reaches it. A new command supersedes the previous one.
    func reminder(from now: Int64) -> [Todos.Command] {
        guard let time = pendingReminder, let day = Day(of: time) else { return [] }
        let seconds = Int64(day.number) * 86_400 + Int64(time.minute ?? 0) * 60 - Todos.earliestSeconds
        let (rest, isPast) = (seconds * 1_000_000).subtractingReportingOverflow(now)
        return [.remind(id, at: time, after: isPast ? 0 : max(0, rest))]
    }

    func reminder(insteadOf old: Todo?, from now: Int64) -> [Todos.Command] {
        guard old?.pendingReminder != pendingReminder else { return [] }
        return pendingReminder == nil ? [.forget(id)] : reminder(from: now)
    }

    func with(series: UInt64) -> Todo {
        var todo = self
        todo.series = series
        return todo
    }
}

extension Todos {
    /// The largest UTC offset in seconds.
    static let earliestSeconds: Int64 = 14 * 3600

    static func update(_ id: UInt64, in state: inout State, _ context: Context, _ change: (inout Todo) -> Void) -> [Command] {
        state.items.update(id) { (todo: inout Todo) -> [Command] in
            let old = todo.pendingReminder == nil ? nil : todo
            change(&todo)
            return todo.reminder(insteadOf: old, from: context.time)
        } ?? []
    }

    // The reason is more important than the end of a long title.
    private static let titleBytesMax = 1_024

    /// The alert text of an event that reports a failure, with the title of the todo if it fits together with the reason.
    public static func failure(toldBy fact: Action, in state: State) -> String? {
        guard case .remindFailed(let id, _, let reason) = fact, let title = state.items.read(id, { $0.title }) else {
            return failure(toldBy: fact)
        }
        return "nobody could be reminded of \(id): \(title.prefix(bytesMax: titleBytesMax)) (\(reason))"
    }

    /// Returns the command that cancels the reminder of a todo before it is removed.
    static func forgetting(_ id: UInt64, in state: State) -> [Command] {
        state.items.read(id) { $0.pendingReminder != nil } == true ? [.forget(id)] : []
    }
}

/// Reminders relative to the due date.
///
/// The todo also stores the absolute time, and an edit of the due date moves both, so the fold computes nothing.
extension Todos {
    static var twoReminders: Refusal {
        refusal(.badReminder, "a reminder has either a time or an interval before the due date; omit one of them")
    }

    static func reminder(_ before: Int64, aheadOf due: Due?) throws(Refusal) -> Due {
        guard let due, let day = Day(of: due) else {
            throw refusal(.badReminder, "a reminder before the due date needs a due date")
        }
        let time = Dates.Due(day: day, minute: due.minute).reminder(minutesBefore: Int(before / 60_000_000))
        guard (0...Limits.remindBeforeMax).contains(before), let reminder = Due(time.day, minute: time.minute) else {
            throw refusal(.badReminder, "a reminder is at most ten years before the due date, and in the year 1 or later")
        }
        return reminder
    }

    /// Moves a relative reminder with the due date, or makes it absolute, according to an edit.
    static func prepareReminder(_ changes: inout TodoChanges, of todo: Todo?) throws(Refusal) {
        let due = if let change = changes.due { change.outcome } else { todo?.due }
        if case .set(let before)? = changes.remindBefore {
            guard changes.remind == nil else { throw twoReminders }
            changes.remind = .set(try reminder(before, aheadOf: due))
        } else if changes.remind != nil || changes.remindBefore != nil {
            changes.remindBefore = todo?.remindBefore == nil ? nil : .clear
        } else if let before = todo?.remindBefore {
            changes.remind = try due == nil ? .clear : .set(reminder(before, aheadOf: due))
            if due == nil { changes.remindBefore = .clear }
        }
    }

    /// Returns the next todo of a series when one is completed, without its ID and times; nil if the series ends.
    ///
    /// It is due on the first day of the rule after both the last due date and the completion, at the same time of day. Its wait date and
    /// reminder keep their distance from the due date. A todo with only a wait date gets a new wait date. Dependencies on the completed
    /// todo are not transferred.
    /// - Parameter day: the day of completion in the client's time zone, whose minute is ignored; by default the current day in UTC.
    static func successor(of id: UInt64, doneOn day: Due?, _ state: State, _ context: Context) -> Todo? {
        guard let todo = state.items[id], !todo.every.utf8.isEmpty, let rule = try? Recurrence(todo.every) else { return nil }
        let today = Day(number: Int(UTCDay.number(of: context.time)))
        // A day far from both the log's and the machine's clock is ignored, because the client's clock is probably wrong.
        let likely = [context.time, context.wallTime].map { Int(UTCDay.number(of: $0)) }
        let named = day.flatMap(Day.init(of:)).flatMap { named in
            likely.contains { abs(named.number - $0) <= Limits.completionDaysMax } ? named : nil
        }
        let done = named ?? today
        let last = (todo.due ?? todo.wait).flatMap(Day.init(of:))
        guard let coming = rule.next(after: done, due: last), let due = Due(coming, minute: todo.due?.minute) else { return nil }
        var next = Todo(
            title: todo.title, note: todo.note, tags: todo.tags, priority: todo.priority,
            every: (last.map(rule.anchored) ?? rule).text)
        if todo.due != nil || todo.wait == nil { next.due = due }
        let distance = coming.number - (last ?? done).number
        next.wait = todo.wait?.moved(days: distance)
        if next.due != nil, let before = todo.remindBefore {
            next.remindBefore = before
        } else {
            next.remind = todo.remind?.moved(days: distance)
        }
        return next
    }

    /// Returns the canonical form of a recurrence rule to log; empty stays empty.
    static func preparedRecurrence(_ text: String) throws(Refusal) -> String {
        guard !text.utf8.isEmpty else { return "" }
        guard text.utf8.count <= Limits.recurrenceBytesMax, let rule = try? Recurrence(text) else {
            let shown = text.prefix(bytesMax: Limits.recurrenceBytesMax)
            throw refusal(.badRecurrence, "“\(shown)” is no recurrence, such as “every monday” or “3 days after done”")
        }
        return rule.text
    }
}

extension Day {
    init?(of due: FeatureTodos.Due) { self.init(year: due.year, month: due.month, day: due.day) }
}

extension FeatureTodos.Due {
    init?(_ day: Day, minute: Int?) { self.init(year: day.year, month: day.month, day: day.day, minute: minute) }

    fileprivate func moved(days: Int) -> FeatureTodos.Due? {
        Day(of: self).flatMap { FeatureTodos.Due($0.adding(days: days), minute: minute) }
    }
}

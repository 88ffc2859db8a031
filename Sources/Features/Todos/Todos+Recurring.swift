import Chronicle
import Dates

extension Todos {
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

extension Todo {
    func with(series: UInt64) -> Todo {
        var todo = self
        todo.series = series
        return todo
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

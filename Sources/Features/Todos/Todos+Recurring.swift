import Dates
import Fields

extension Todos {
    /// The todo that comes next when one that recurs is completed, without an id and times; `nil` where none comes.
    ///
    /// It is due on the next day of the rule that lies behind the last due and behind the day of completion, at the same time of day, and waits,
    /// and has a reminder, as long before that as the one before. What had no due but waited waits until that day. What came before the one does not
    /// come before the next.
    ///
    /// - Parameter day: the day of completion where the client is; its minute means nothing. Left out: the day in UTC.
    static func successor(of id: UInt64, doneOn day: Due?, _ state: State, _ context: Context) -> Todo? {
        guard let todo = state.items[id], !todo.every.utf8.isEmpty, let rule = try? Recurrence(todo.every) else { return nil }
        let today = Day(number: Int(UTCDay.number(of: context.time)))
        // A day that is far off is that of a wrong clock; where the log's and the machine's disagree, either may be the right one.
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

    /// The rule by which a todo recurs as it is logged; empty stays empty.
    static func preparedRecurrence(_ text: String) throws(Refusal) -> String {
        guard !text.utf8.isEmpty else { return "" }
        guard text.utf8.count <= Limits.recurrenceBytesMax, let rule = try? Recurrence(text) else {
            let shown = text.prefix(bytesMax: Limits.recurrenceBytesMax)
            throw Refusal(
                "BadRecurrence", "“\(shown)” is no recurrence, such as “every monday” or “3 days after done”")
        }
        return rule.text
    }
}

extension Todo {
    /// The same, as one of those that took each other's place.
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

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

    /// What is asked for because a todo is about to go.
    static func forgetting(_ id: UInt64, in state: State) -> [Command] {
        state.items.read(id) { $0.comingReminder != nil } == true ? [.forget(id)] : []
    }
}

/// One todo with all that is known of it.
enum TodoCard {
    /// The lines that show a todo.
    static func lines(_ todo: Todo, zone: Zone, paint: Paint) -> [String] {
        var lines = [paint("\(todo.id): \(Visible.text(todo.title))", .bold)]
        if let due = todo.due {
            let isOver = !todo.isDone && due.isOver(at: zone.moment(at: Clock.now() / 1_000_000))
            lines.append("  due        " + paint(due.spelled, isOver ? .red : nil))
        }
        if todo.priority > 0 { lines.append("  priority   " + Priority(level: todo.priority).name) }
        if !todo.tags.isEmpty { lines.append("  tags       " + todo.tags.map { "#" + Visible.text($0) }.joined(separator: " ")) }
        if let created = todo.created { lines.append("  created    " + zone.moment(at: created / 1_000_000).spelled) }
        if let completed = todo.completed { lines.append("  completed  " + zone.moment(at: completed / 1_000_000).spelled) }
        for (index, line) in todo.note.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !todo.note.isEmpty {
            lines.append((index == 0 ? "  note       " : "             ") + Visible.text(String(line)))
        }
        return lines
    }
}

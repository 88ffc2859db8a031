import Dates

/// Todos as lines of a table.
struct TodoTable {
    var paint: Paint
    var now: Moment
    /// A title longer than this does not push the other titles' columns to the right.
    private static let titleColumnsMax = 60

    /// One line for each todo.
    func lines(_ todos: [Todo]) -> [String] {
        let idWidth = todos.reduce(1) { max($0, String($1.id).utf8.count) }
        let hasPriority = todos.contains { $0.priority > 0 }
        let titles = todos.map { Visible.text($0.title) }
        let titleWidth = min(TodoTable.titleColumnsMax, titles.reduce(0) { max($0, Width.columns($1)) })
        return zip(todos, titles).map { todo, title in
            let id = String(todo.id)
            var line = String(repeating: " ", count: idWidth - id.utf8.count) + id + (todo.isDone ? " [x] " : " [ ] ")
            if hasPriority {
                let marks = String(repeating: "!", count: min(max(todo.priority, 0), 3))
                line += paint(marks, todo.priority > 2 ? .red : .yellow) + String(repeating: " ", count: 4 - marks.utf8.count)
            }
            let details = details(todo)
            let padded = details.isEmpty ? title : Width.padded(title, to: titleWidth)
            return line + paint(padded, todo.isDone ? .dim : nil) + details
        }
    }

    private func details(_ todo: Todo) -> String {
        var details = ""
        if let due = todo.due {
            let isOver = !todo.isDone && due.isOver(at: now)
            details += "  " + paint("due \(due.abbreviated)", isOver ? .red : nil)
        }
        for tag in todo.tags { details += (details.isEmpty ? "  " : " ") + paint("#" + Visible.text(tag), .dim) }
        return details
    }
}

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

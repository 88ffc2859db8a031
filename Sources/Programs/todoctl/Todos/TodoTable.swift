import Dates

/// Todos as lines of a table, which fit the terminal where there is one.
struct TodoTable {
    var paint: Paint
    var now: Moment
    /// How many columns a line has; `nil`: as many as it takes.
    var width: Int?
    /// What is marked as not to be done yet.
    var blocking = Blocking()
    /// A title longer than this does not push the other titles' columns to the right.
    private static let titleColumnsMax = 60
    /// Tags are left out below this, dates below the other.
    private static let tagsColumnsMin = 60
    private static let datesColumnsMin = 40
    /// Where a title ends at the latest, however long the details.
    private static let titleColumnsMin = 16

    /// One line for each todo.
    func lines(_ todos: [Todo]) -> [String] {
        let idWidth = todos.reduce(1) { max($0, String($1.id).utf8.count) }
        let hasPriority = todos.contains { $0.priority > 0 }
        let titles = todos.map { Visible.text($0.title) }
        let details = todos.map(details)
        var titleWidth = min(TodoTable.titleColumnsMax, titles.reduce(0) { max($0, Width.columns($1)) })
        let left = width.map { $0 - idWidth - (hasPriority ? 9 : 5) }
        if let left {
            let wanted = left - details.reduce(0) { max($0, Width.columns($1.plain)) }
            titleWidth = min(titleWidth, max(wanted, min(TodoTable.titleColumnsMin, left)))
        }
        return todos.indices.map { index in
            let todo = todos[index]
            let id = String(todo.id)
            var line = String(repeating: " ", count: idWidth - id.utf8.count) + id + (todo.isDone ? " [x] " : " [ ] ")
            if hasPriority {
                let marks = String(repeating: "!", count: min(max(todo.priority, 0), 3))
                line += paint(marks, .priority, usual: todo.priority > 2 ? .red : .yellow)
                line += String(repeating: " ", count: 4 - marks.utf8.count)
            }
            var detail = details[index]
            var title = titles[index]
            if let left {
                // What has nothing behind it may go on to the edge.
                title = Width.cut(title, to: detail.plain.isEmpty ? left : titleWidth)
                let room = left - max(titleWidth, Width.columns(title))
                if Width.columns(detail.plain) > room { detail = Detail(Width.cut(detail.plain, to: room)) }
            }
            let padded = detail.plain.isEmpty ? title : Width.padded(title, to: titleWidth)
            return line + (todo.isDone ? paint(padded, .done, usual: .dim) : padded) + detail.painted
        }
    }

    /// What stands behind a title, with its colours and without.
    private struct Detail {
        var plain: String
        var painted: String

        init(_ plain: String) { (self.plain, painted) = (plain, plain) }

        mutating func add(_ text: String, _ painted: String, after gap: String) {
            plain += gap + text
            self.painted += gap + painted
        }
    }

    private func details(_ todo: Todo) -> Detail {
        var detail = Detail("")
        if let width, width < TodoTable.datesColumnsMin { return detail }
        if let due = todo.due {
            let isOver = !todo.isDone && due.isOver(at: now)
            let text = (isOver ? "overdue " : "due ") + due.short
            detail.add(text, paint(text, isOver ? .overdue : .due, usual: isOver ? .red : nil), after: "  ")
        }
        let blockers = blocking.blockers(of: todo)
        if !blockers.isEmpty {
            let text = "blocked by " + TodoSentences.ids(blockers)
            detail.add(text, paint(text, .yellow), after: "  ")
        }
        if let width, width < TodoTable.tagsColumnsMin { return detail }
        if let wait = todo.wait, todo.isWaiting(at: now) {
            let text = "waits until " + wait.short
            detail.add(text, paint(text, .dim), after: "  ")
        }
        if !todo.every.isEmpty {
            let text = Visible.text(todo.every)
            detail.add(text, paint(text, .dim), after: "  ")
        }
        for tag in todo.tags {
            let text = "#" + Visible.text(tag)
            detail.add(text, paint(text, .tag, usual: .dim), after: detail.plain.isEmpty ? "  " : " ")
        }
        return detail
    }
}

/// One todo with all that is known of it.
enum TodoCard {
    /// The lines that show a todo.
    ///
    /// - Parameter before: those that are there of what is to be done before.
    static func lines(_ todo: Todo, before: [Int64: Todo] = [:], zone: Zone, paint: Paint) -> [String] {
        var lines = [paint("\(todo.id): \(Visible.text(todo.title))", .bold)]
        if let due = todo.due {
            let isOver = !todo.isDone && due.isOver(at: zone.moment(at: Clock.now() / 1_000_000))
            lines.append("  due        " + paint(due.long, isOver ? .overdue : .due, usual: isOver ? .red : nil))
        }
        if let wait = todo.wait { lines.append("  waits      until " + wait.long) }
        if let remind = todo.remind {
            let state = todo.reminded == remind ? " (it was)" : todo.remindBefore != nil ? " (moves with the due)" : ""
            lines.append("  remind     " + remind.long + state)
        }
        if !todo.every.isEmpty { lines.append("  recurs     " + Visible.text(todo.every)) }
        for (index, id) in todo.after.enumerated() {
            let other = before[id].map { "\(id): \(Visible.text($0.title)) (\($0.isDone ? "done" : "open"))" }
            lines.append((index == 0 ? "  after      " : "             ") + (other ?? "\(id) (removed)"))
        }
        if todo.priority > 0 { lines.append("  priority   " + Priority(level: todo.priority).name) }
        if !todo.tags.isEmpty { lines.append("  tags       " + todo.tags.map { "#" + Visible.text($0) }.joined(separator: " ")) }
        if let origin = todo.origin { lines.append("  from       " + Visible.text(origin.source)) }
        if let created = todo.created { lines.append("  created    " + zone.moment(at: created / 1_000_000).long) }
        if let completed = todo.completed { lines.append("  completed  " + zone.moment(at: completed / 1_000_000).long) }
        for (index, line) in todo.note.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !todo.note.isEmpty {
            lines.append((index == 0 ? "  note       " : "             ") + Visible.text(String(line)))
        }
        return lines
    }
}

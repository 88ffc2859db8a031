import Dates
import Terminal

/// Formats todos as a table that fits the terminal.
struct TodoTable {
    var paint: Paint
    var now: Moment
    var width: Int?
    var indent = 0
    var blocking = Blocking()
    /// Longer titles do not widen the title column.
    private static let titleColumnsMax = 60
    /// In narrower tables tags and near years are omitted, and blocking todos are below the title.
    private static let tagsColumnsMin = 60
    private static let datesColumnsMin = 40
    /// Minimum width of titles: with long details, and with long dates.
    private static let titleColumnsMin = 16
    private static let titleColumnsLeast = 4

    func lines(_ todos: [Todo]) -> [String] { rows(todos).map { paint($0) } }

    func rows(_ todos: [Todo]) -> [[PaintedText]] {
        let idWidth = todos.reduce(1) { max($0, String($1.id).utf8.count) }
        let hasPriority = todos.contains { $0.priority > 0 }
        let titles = todos.map { Visible.text($0.title) }
        let left = width.map { $0 - indent - idWidth - (hasPriority ? 9 : 5) }
        let details = todos.map { self.details($0, left) }
        let titleWidth = titleWidth(titles, details, left)
        return todos.indices.map { index in
            let todo = todos[index]
            let id = String(todo.id)
            let margin = String(repeating: " ", count: idWidth - id.utf8.count)
            var line = [PaintedText(margin + id + (todo.isDone ? " [x] " : " [ ] "))]
            if hasPriority {
                let marks = String(repeating: "!", count: min(max(todo.priority, 0), 3))
                line.append(PaintedText(marks, paint.colour(of: .priority, usual: todo.priority > 2 ? .red : .yellow)))
                line.append(PaintedText(String(repeating: " ", count: 4 - marks.utf8.count)))
            }
            var title = titles[index]
            var room: Int?
            if let left {
                // A title without details may use the whole line.
                title = Width.cut(title, to: details[index].isEmpty ? left : titleWidth)
                room = left - max(titleWidth, Width.columns(title))
            }
            let detail = fitted(details[index], to: room)
            let padded = detail.isEmpty ? title : Width.padded(title, to: titleWidth)
            return line + [PaintedText(padded, todo.isDone ? paint.colour(of: .done, usual: .dim) : nil)] + detail
        }
    }

    private func titleWidth(_ titles: [String], _ details: [[Piece]], _ left: Int?) -> Int {
        let longest = min(TodoTable.titleColumnsMax, titles.reduce(0) { max($0, Width.columns($1)) })
        guard let left else { return longest }
        let all = details.reduce(0) { max($0, $1.reduce(0) { $0 + $1.columns }) }
        let dates = details.reduce(0) { most, pieces in
            max(most, (pieces.first { $0.isWhole }?.columnsMin ?? 0) + (pieces.first { $0.short != nil }?.columnsMin ?? 0))
        }
        let least = max(TodoTable.titleColumnsLeast, min(TodoTable.titleColumnsMin, left - dates))
        return min(longest, max(left - all, min(least, left)))
    }

    /// A detail after the title, with the gap before it.
    private struct Piece {
        var text: String
        var colour: Paint.Colour?
        var gap = "  "
        /// Whether it is never cut, such as a date.
        var isWhole = false
        /// A shorter text for narrow tables.
        var short: String?

        var columns: Int { Width.columns(gap) + Width.columns(text) }
        var columnsMin: Int { isWhole ? columns : short.map { Width.columns(gap) + Width.columns($0) } ?? 0 }
        var painted: [PaintedText] { [PaintedText(gap), PaintedText(text, colour)] }
    }

    /// The pieces that fit; the first that does not fit is cut, or omitted if it must not be cut.
    private func fitted(_ pieces: [Piece], to room: Int?) -> [PaintedText] {
        guard let room else { return pieces.flatMap(\.painted) }
        var (line, rest) = ([PaintedText](), room)
        for piece in pieces where piece.columns <= rest || !piece.isWhole {
            guard piece.columns <= rest else {
                if let short = piece.short, piece.columnsMin <= rest {
                    line += [PaintedText(piece.gap), PaintedText(short, piece.colour)]
                    rest -= piece.columnsMin
                    continue
                }
                let columns = rest - Width.columns(piece.gap)
                return columns > 0 ? line + [PaintedText(piece.gap + Width.cut(piece.text, to: columns))] : line
            }
            line += piece.painted
            rest -= piece.columns
        }
        return line
    }

    /// The details of a todo.
    ///
    /// - Parameter left: the width for title and details; `nil` is unlimited.
    private func details(_ todo: Todo, _ left: Int?) -> [Piece] {
        var pieces: [Piece] = []
        let room = left.map { $0 - TodoTable.titleColumnsLeast - 2 } ?? .max
        let blockers = blocking.blockers(of: todo)
        let blocked = blockers.isEmpty ? nil : "blocked by " + TodoSentences.ids(blockers)
        if let width, width < TodoTable.datesColumnsMin {
            return blocked.map { [Piece(text: Width.columns($0) > room ? "blocked" : $0, colour: .yellow, isWhole: true)] } ?? []
        }
        let isNarrow = width.map { $0 < TodoTable.tagsColumnsMin } ?? false
        let wait = todo.isWaiting(at: now) ? todo.wait : nil
        let waits = wait.map { wait in
            Piece(text: "waits until " + (isNarrow ? wait.brief(on: now.day) : wait.short), colour: .dim, isWhole: true)
        }
        // If only one date fits, this is the important one.
        if isNarrow, let waits { pieces.append(waits) }
        if let due = todo.due {
            let isOver = !todo.isDone && due.isOver(at: now)
            var text = (isOver ? "overdue " : "due ") + (isNarrow ? due.brief(on: now.day) : due.short)
            // Overdue must be visible.
            if Width.columns(text) > room { text = isOver ? "overdue" : "" }
            let colour = paint.colour(of: isOver ? .overdue : .due, usual: isOver ? .red : nil)
            if !text.isEmpty { pieces.append(Piece(text: text, colour: colour, isWhole: true)) }
        }
        if let blocked { pieces.append(Piece(text: blocked, colour: .yellow, short: "blocked")) }
        if isNarrow { return pieces }
        if let waits { pieces.append(waits) }
        if !todo.every.isEmpty { pieces.append(Piece(text: Visible.text(todo.every), colour: .dim)) }
        for tag in todo.tags {
            let colour = paint.colour(of: .tag, usual: .dim)
            pieces.append(Piece(text: "#" + Visible.text(tag), colour: colour, gap: pieces.isEmpty ? "  " : " "))
        }
        return pieces
    }
}

enum TodoCard {
    /// The lines of a single todo with all its fields.
    ///
    /// - Parameter before: the known todos that must be done before it.
    static func lines(_ todo: Todo, before: [Int64: Todo] = [:], zone: Zone, paint: Paint) -> [String] {
        var lines = [paint("\(todo.id): \(Visible.text(todo.title))", .bold)]
        if let due = todo.due {
            let isOver = !todo.isDone && due.isOver(at: zone.moment(at: Clock.now() / 1_000_000))
            let text = due.long + (isOver ? " (overdue)" : "")
            lines.append("  due        " + paint(text, isOver ? .overdue : .due, usual: isOver ? .red : nil))
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

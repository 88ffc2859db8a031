import Dates
import Terminal

extension ScreenModel {
    func renderList(into canvas: inout Canvas, _ region: ScreenRegion) {
        let rows = shownRows
        guard rows.count > 0 else {
            canvas.put([StyledText(" " + emptyListSentence, .dim)], region, line: 0)
            return
        }
        let seen = (0..<max(region.height, 0)).compactMap { line in rows[list.offset + line].map { (line, $0) } }
        var idColumns = 1
        for case (_, .todo(let id)) in seen { idColumns = max(idColumns, String(id).utf8.count) }
        for (line, row) in seen {
            switch row {
            case .heading(let section, let count):
                canvas.put(
                    [StyledText(" \(section.title)", section == .overdue ? .overdue : .heading), StyledText("  \(count)", .dim)],
                    region, line: line)
            case .todo(let id):
                guard let todo = shownTodos[id] else { continue }
                render(todo, rows.section(of: id), into: &canvas, region, line: line, idColumns: idColumns)
            }
        }
    }

    private var emptyListSentence: String {
        if time.todos == nil, !areTodosComplete {
            if let incoming { return "\(Digits.grouped(incoming.count)) todos …" }
            return presence == .connected ? "…" : "Waiting for the daemon …"
        }
        if !list.filter.isEmpty { return (question?.mistake ?? "No todo matches.") + " Esc shows all." }
        if time.whatIf != nil { return "There would be no todo." }
        return time.isLive ? "Nothing here yet: a adds a todo." : "There was no todo then."
    }

    private func render(
        _ todo: Todo, _ section: TodoRows.Section?, into canvas: inout Canvas, _ region: ScreenRegion, line: Int, idColumns: Int
    ) {
        let isSelected = todo.id == list.selected
        let isMarked = list.marked.contains(todo.id)
        let isFlashing = shownFlashes[todo.id].map { $0 > now } == true
        let mark = time.mark(of: todo.id)
        let id = String(todo.id)
        let sign: StyledText =
            switch mark {
            case .added: StyledText("+", .added)
            case .removed: StyledText("-", .removed)
            case .changed: StyledText("~", .changed)
            case nil:
                isMarked ? StyledText("✓", .marked) : isFlashing ? StyledText("•", .flash) : StyledText(isSelected ? ">" : " ")
            }
        let marks = String(repeating: "!", count: min(max(todo.priority, 0), 3))
        let isNarrow = region.width < 30
        var spans = [
            sign,
            StyledText(String(repeating: " ", count: max(0, idColumns - id.utf8.count)) + id + " ", isMarked ? .marked : .plain),
        ]
        if !isNarrow { spans.append(StyledText(Width.padded(marks, to: 3) + " ", todo.priority > 2 ? .high : .priority)) }
        let columnsBefore = idColumns + 2 + (isNarrow ? 0 : 4)
        let date = dateText(todo, section)
        let dateColumns = Width.columns(date)
        let space = region.width - columnsBefore - (dateColumns > 0 ? dateColumns + 2 : 0)
        let role: TextRole =
            switch mark {
            case .added: .added
            case .removed: .removed
            case .changed: .changed
            case nil: todo.isDone ? .done : isFlashing ? .flash : .plain
            }
        var tags = todo.tags.map { "#" + Visible.text($0) }.joined(separator: " ")
        let title = Visible.text(todo.title)
        var titleColumns = min(Width.columns(title), max(space, 0))
        if !tags.isEmpty {
            // The title has priority over the tags.
            let tagColumns = min(Width.columns(tags), max(space / 3, 0))
            titleColumns = min(titleColumns, space - tagColumns - 1)
            let left = space - titleColumns - 1
            tags = left > 1 ? Width.cut(tags, to: left) : ""
        }
        spans.append(StyledText(titleColumns > 0 ? Width.cut(title, to: titleColumns) : "", role))
        if !tags.isEmpty { spans.append(StyledText(" " + tags, .tag)) }
        canvas.put(spans, region, line: line, isSelected: isSelected)
        guard dateColumns > 0, space > 0 else { return }
        let dateRole: TextRole =
            section == .overdue || !todo.isDone && todo.due?.isOver(at: shownMoment) == true
            ? .overdue : todo.isDone ? .dim : .due
        canvas.put(right: [StyledText(date + " ", dateRole)], region, line: line, isSelected: isSelected)
    }

    /// The due date, as short as its section allows: only the time for today, the weekday for this week.
    private func dateText(_ todo: Todo, _ section: TodoRows.Section?) -> String {
        if todo.isDone, let completed = todo.completed {
            return context.zone.moment(at: completed / 1_000_000).day.brief(on: shownMoment.day)
        }
        guard let date = section == .waiting ? todo.wait : todo.due else { return "" }
        let today = shownMoment.day
        let clock = date.minute.map { " " + Due.clock($0) } ?? ""
        switch date.day.number - today.number {
        case 0 where section == .today || section == .overdue: return date.minute.map { Due.clock($0) } ?? "today"
        case 0: return "today" + clock
        case 1: return "tomorrow" + clock
        case -1: return "yesterday"
        case 2...6: return String(date.day.abbreviated.prefix(3)) + clock
        default: return date.day.brief(on: today)
        }
    }

    func renderPane(into canvas: inout Canvas, _ region: ScreenRegion) {
        guard let todo = selectedTodo else { return }
        var lines: [[StyledText]] = [[StyledText("\(todo.id) ", .dim), StyledText(todo.title, .bold)], []]
        func line(_ name: String, _ value: String, _ role: TextRole = .plain) {
            lines.append([StyledText(Width.padded(name, to: 10), .dim), StyledText(value, role)])
        }
        // The long form if it fits.
        func fitting(_ long: String, _ short: String) -> String { Width.columns(long) + 10 <= region.width ? long : short }
        func fitting(_ due: Due) -> String { fitting(due.long, due.short) }
        func fitting(_ time: Int64) -> String {
            let moment = context.zone.moment(at: time / 1_000_000)
            return fitting(moment.long, Due(minuteOf: moment).brief(on: self.moment.day))
        }
        if let due = todo.due { line("due", fitting(due), !todo.isDone && due.isOver(at: shownMoment) ? .overdue : .plain) }
        if todo.priority > 0 { line("priority", Priority(level: todo.priority).name, todo.priority > 2 ? .high : .priority) }
        if !todo.tags.isEmpty { line("tags", todo.tags.map { "#" + $0 }.joined(separator: " "), .tag) }
        if let wait = todo.wait { line("waits", "until " + wait.short) }
        if let remind = todo.remind { line("remind", fitting(remind)) }
        if !todo.every.isEmpty { line("recurs", todo.every) }
        for id in todo.after {
            line("after", shownTodos[id].map { "\(id) \($0.title)\($0.isDone ? " (done)" : "")" } ?? "\(id) (removed)")
        }
        if let origin = todo.origin { line("from", origin.source) }
        if let created = todo.created { line("created", fitting(created), .dim) }
        if let completed = todo.completed { line("completed", fitting(completed), .dim) }
        if !todo.note.isEmpty {
            lines.append([])
            for paragraph in todo.note.split(separator: "\n", omittingEmptySubsequences: false).prefix(200) {
                for part in Self.wrapped(Visible.text(String(paragraph)), to: region.width) { lines.append([StyledText(part)]) }
            }
        }
        for (index, spans) in lines.prefix(region.height).enumerated() { canvas.put(spans, region, line: index) }
    }

    static func wrapped(_ text: String, to width: Int) -> [String] {
        guard width > 0 else { return [] }
        var lines: [String] = []
        var (line, columns) = ("", 0)
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let wordColumns = Width.columns(String(word))
            if columns > 0, columns + 1 + wordColumns > width {
                lines.append(line)
                (line, columns) = ("", 0)
            }
            if columns > 0 {
                line += " "
                columns += 1
            }
            guard wordColumns > width else {
                line += word
                columns += wordColumns
                continue
            }
            for character in word {
                let one = Width.columns(String(character))
                if columns + one > width {
                    lines.append(line)
                    (line, columns) = ("", 0)
                }
                line.append(character)
                columns += one
            }
        }
        return lines + [line]
    }

    func renderForm(into canvas: inout Canvas, _ region: ScreenRegion) {
        guard let form else { return }
        let mistake = formMistake
        canvas.put([StyledText("edit \(form.id)", .bold)], region, line: 0)
        for field in TodoField.allCases {
            let line = 2 + field.rawValue
            guard line < region.height else { return }
            let isFocused = field == form.focus
            let label = StyledText(
                Width.padded((isFocused ? "> " : "  ") + field.label, to: 11),
                mistake?.field == field ? .failure : isFocused ? .bold : .dim)
            canvas.put([label], region, line: line)
            let place = ScreenRegion(column: region.column + 11, row: region.row + line, width: region.width - 11, height: 1)
            let entry = form.entries[field.rawValue]
            if isFocused {
                canvas.put(entry: entry.shown(in: place.width), place)
            } else {
                canvas.put([StyledText(entry.line)], place, line: 0)
            }
        }
        guard region.height > 7 else { return }
        let reading = form.focus == .due ? (try? dates.due(form.entries[TodoField.due.rawValue].text))?.long : nil
        if let reading { canvas.put([StyledText(reading, .good)], region, line: 8) }
        if !form.entries[TodoField.note.rawValue].isEmpty {
            canvas.put([StyledText("Ctrl-O in the note starts a new line, shown as ↵", .dim)], region, line: 9)
        }
        canvas.put([StyledText("Enter saves", mistake == nil ? .good : .dim)], region, line: 7)
    }
}

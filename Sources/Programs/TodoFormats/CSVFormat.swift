import Dates

/// A CSV table of todos with the columns `id`, `title`, `note`, `tags`, `priority`, `due`, `wait`, `after`, `every`,
/// `remind`, `remindBefore`, `created` and `completed`, in any order.
///
/// Only the title is required. Fields of missing columns are unspecified, and other columns are kept as attributes.
/// Tags and ids in `after` are separated by commas.
enum CSVFormat {
    private static let columns = [
        "id", "title", "note", "tags", "priority", "due", "wait", "after", "every", "remind", "remindBefore", "created",
        "completed",
    ]

    static func read(_ bytes: [UInt8], at place: FormatPlace) throws(FormatError) -> FormatReading {
        let table = try CSVTable(bytes)
        var reading = FormatReading()
        guard !table.header.isEmpty else { return reading }
        guard table.header.contains("title") else {
            throw FormatError(line: 1, "the header names no column title; known are \(columns.joined(separator: ", "))")
        }
        let unsaid = TodoFormat.Part.unsaid(in: Set(columns.filter { table.header.contains($0.lowercased()) }))
        for (line, fields) in table.rows {
            var todo = ForeignTodo(title: "", line: line)
            todo.unsaid = unsaid
            for (name, field) in zip(table.header, fields) where !field.isEmpty { try take(name, field, into: &todo, place) }
            guard !Words.isBlank(todo.title) else { throw FormatError(line: line, "a todo needs a title") }
            if todo.isDone { todo.every = nil }
            try reading.add(todo)
        }
        return reading
    }

    private static func take(
        _ name: String, _ field: String, into todo: inout ForeignTodo, _ place: FormatPlace
    ) throws(FormatError) {
        let written = FieldText(name: name, text: field, line: todo.line, zone: place.zone)
        switch name {
        case "id": todo.source = field
        case "title": todo.title = Words.trimmed(field)
        case "note": todo.note = field
        case "tags":
            for tag in field.split(separator: ",") { Words.add(Words.trimmed(tag), to: &todo.tags) }
        case "priority":
            guard let level = levels.firstIndex(of: field.lowercased()) ?? Int(field), levels.indices.contains(level) else {
                throw written.mistaken("not one of 0 to 3 and of \(levels.joined(separator: ", "))")
            }
            todo.priority = level
        case "due": todo.due = try written.due()
        case "wait": todo.wait = try written.due()
        case "after": todo.after = field.split(separator: ",").map { Words.trimmed($0) }
        case "every": todo.every = try written.rule()
        case "remind":
            if case .before? = todo.reminder { return }
            todo.reminder = .at(try written.due())
        case "remindbefore": todo.reminder = try written.reminder()
        case "created": todo.created = try written.time()
        case "completed":
            todo.completed = try written.time()
            todo.isDone = true
        default: todo.attributes.append(.init(name, field))
        }
    }

    private static let levels = ["none", "low", "medium", "high"]

    static func write(_ todos: [ForeignTodo]) -> String {
        // The table has no completion flag, so a done todo needs a completion time.
        var others: [String] = []
        var known = Set(columns.map { $0.lowercased() })
        for attribute in todos.flatMap(\.attributes) where known.insert(attribute.name).inserted { others.append(attribute.name) }
        var text = CSVTable.line(columns + others)
        for todo in todos {
            let completed = todo.isDone ? todo.completed ?? todo.created ?? 0 : nil
            var (remind, remindBefore) = ("", "")
            switch todo.reminder {
            case nil: break
            case .at(let time)?: remind = time.text
            case .before(let minutes)?: remindBefore = FormatDuration.text(minutes)
            }
            let priority = todo.priority > 0 ? String(todo.priority) : ""
            let (tags, after) = (todo.tags.map(asPart).joined(separator: ","), todo.after.joined(separator: ","))
            let times = [todo.created.map(FormatTime.iso) ?? "", completed.map(FormatTime.iso) ?? ""]
            let fields =
                [todo.source ?? "", todo.title, todo.note, tags, priority, todo.due?.text ?? "", todo.wait?.text ?? "", after]
                + [todo.every?.text ?? "", remind, remindBefore] + times
            text += CSVTable.line(fields + others.map { todo.attribute($0) ?? "" })
        }
        return text
    }

    // A comma would split the tag.
    private static func asPart(_ tag: String) -> String { tag.replacing(",", with: "_") }
}

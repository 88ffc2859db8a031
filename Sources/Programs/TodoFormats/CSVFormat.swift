import Dates

/// A table of todos: `id`, `title`, `note`, `tags`, `priority`, `due`, `wait`, `after`, `created` and `completed`, in any order.
///
/// A title is needed; other columns are kept. Tags, and ids of what is to be done before, are parted by commas in their field.
enum CSVFormat {
    private static let columns = ["id", "title", "note", "tags", "priority", "due", "wait", "after", "created", "completed"]

    static func read(_ bytes: [UInt8], at place: FormatPlace) throws(FormatError) -> FormatReading {
        let table = try CSVTable(bytes)
        var reading = FormatReading()
        guard !table.header.isEmpty else { return reading }
        guard table.header.contains("title") else {
            throw FormatError(line: 1, "the header names no column title; known are \(columns.joined(separator: ", "))")
        }
        for (line, fields) in table.rows {
            var todo = ForeignTodo(title: "", line: line)
            for (name, field) in zip(table.header, fields) where !field.isEmpty { try take(name, field, into: &todo, place) }
            guard !Words.isBlank(todo.title) else { throw FormatError(line: line, "a todo needs a title") }
            try reading.add(todo)
        }
        return reading
    }

    private static func take(
        _ name: String, _ field: String, into todo: inout ForeignTodo, _ place: FormatPlace
    ) throws(FormatError) {
        func mistaken(_ what: String) -> FormatError { FormatError(line: todo.line, "\(name) is \(what): “\(field)”") }
        func due() throws(FormatError) -> Due {
            guard let due = FormatTime.due(iso: field, in: place.zone) else { throw mistaken("no date such as 2026-12-01T14:30") }
            return due
        }
        func time() throws(FormatError) -> Int64 {
            guard let time = FormatTime.microseconds(iso: field, in: place.zone) else {
                throw mistaken("no time such as 2026-12-01T14:30:00Z")
            }
            return time
        }
        switch name {
        case "id": todo.source = field
        case "title": todo.title = Words.trimmed(field)
        case "note": todo.note = field
        case "tags":
            for tag in field.split(separator: ",") { Words.add(Words.trimmed(tag), to: &todo.tags) }
        case "priority":
            guard let level = levels.firstIndex(of: field.lowercased()) ?? Int(field), levels.indices.contains(level) else {
                throw mistaken("none of 0 to 3 and of \(levels.joined(separator: ", "))")
            }
            todo.priority = level
        case "due": todo.due = try due()
        case "wait": todo.wait = try due()
        case "after": todo.after = field.split(separator: ",").map { Words.trimmed($0) }
        case "created": todo.created = try time()
        case "completed":
            todo.completed = try time()
            todo.isDone = true
        default: todo.attributes.append(.init(name, field))
        }
    }

    private static let levels = ["none", "low", "medium", "high"]

    static func write(_ todos: [ForeignTodo]) -> String {
        // One that is done is so at a time: the table has no other word for it.
        var others: [String] = []
        var known = Set(columns)
        for attribute in todos.flatMap(\.attributes) where known.insert(attribute.name).inserted { others.append(attribute.name) }
        var text = CSVTable.line(columns + others)
        for todo in todos {
            let completed = todo.isDone ? todo.completed ?? todo.created ?? 0 : nil
            let fields = [
                todo.source ?? "", todo.title, todo.note, todo.tags.map(asPart).joined(separator: ","),
                todo.priority > 0 ? String(todo.priority) : "", todo.due?.text ?? "", todo.wait?.text ?? "",
                todo.after.joined(separator: ","), todo.created.map(FormatTime.iso) ?? "", completed.map(FormatTime.iso) ?? "",
            ]
            text += CSVTable.line(fields + others.map { todo.attribute($0) ?? "" })
        }
        return text
    }

    // A comma in a tag would part it.
    private static func asPart(_ tag: String) -> String { tag.replacing(",", with: "_") }
}

import ChronicleValues
import Dates

/// A list of flat objects like `todoctl list --json`, but with ISO dates; the output of that command is read as well.
///
/// `id` identifies a todo. A number does so together with `created`, and may be used in `after` of other todos of the file.
/// Missing members are unspecified. `null`, an empty text and an empty list mean empty. Unknown members are kept as attributes.
enum JSONFormat {
    static func read(_ bytes: [UInt8], at place: FormatPlace) throws(FormatError) -> FormatReading {
        var reading = FormatReading()
        var names: [Int64: String] = [:]
        var numbers: [[Int64]] = []
        try JSONElements.read(bytes) { value, line throws(FormatError) in
            // The output of `list --json` is an object that contains the list.
            let items = value["state"]?["todos"]?["items"]?.list ?? value["items"]?.list ?? [value]
            for item in items {
                let read = try todo(item, line, place)
                if let id = item["id"]?.int, let name = read.source { names[id] = name }
                numbers.append((item["after"]?.list ?? []).compactMap(\.int))
                try reading.add(read)
            }
        }
        for (index, others) in zip(reading.todos.indices, numbers) {
            let known = others.compactMap { names[$0] }
            reading.todos[index].after += known
            // The other todos are not in this file, so the existing value may be right.
            if known.count < others.count { reading.todos[index].unsaid.insert(.after) }
        }
        return reading
    }

    private static func todo(_ value: Value, _ line: Int, _ place: FormatPlace) throws(FormatError) -> ForeignTodo {
        guard let fields = value.record else { throw FormatError(line: line, "a todo must be an object") }
        guard let title = fields["title"]?.text, !Words.isBlank(title) else {
            throw FormatError(line: line, "a todo needs a title")
        }
        var todo = ForeignTodo(title: Words.trimmed(title), line: line)
        for field in fields where !field.value.isNull { try take(field, into: &todo, place) }
        todo.unsaid = TodoFormat.Part.unsaid(in: Set(fields.map(\.name)))
        // This reminder was already delivered.
        if let given = fields["reminded"]?.text, given == fields["remind"]?.text {
            todo.reminder = nil
            todo.unsaid.insert(.reminder)
        }
        if todo.isDone { todo.every = nil }
        // The number may exist in other lists. Number and creation time together are unique.
        if let id = fields["id"]?.int {
            todo.source = todo.created.map { TodoIdentity.uuid(id: id, created: $0) } ?? String(id)
        }
        return todo
    }

    private static func take(_ field: Value.Field, into todo: inout ForeignTodo, _ place: FormatPlace) throws(FormatError) {
        func mistaken(_ what: String) -> FormatError { FormatError(line: todo.line, "\(field.name) is \(what)") }
        func text() throws(FormatError) -> String {
            guard let text = field.value.text else { throw mistaken("not a text") }
            return text
        }
        // `nil` if the member is empty.
        func written() throws(FormatError) -> FieldText? {
            let text = try text()
            return text.isEmpty ? nil : FieldText(name: field.name, text: text, line: todo.line, zone: place.zone)
        }
        func time() throws(FormatError) -> Int64 {
            if let time = field.value.int, FormatTime.range.contains(time) { return time }
            guard let time = try written()?.time() else { throw mistaken(FieldText.noTime) }
            return time
        }
        switch field.name {
        case "title": break
        case "id": if field.value.int == nil { todo.source = try text() }
        case "note": todo.note = try text()
        case "tags":
            guard let list = field.value.list else { throw mistaken("not a list") }
            for tag in list {
                guard let tag = tag.text else { throw mistaken("not a list of texts") }
                Words.add(tag, to: &todo.tags)
            }
        case "priority":
            guard let level = field.value.int, (0...3).contains(level) else { throw mistaken("not one of 0 to 3") }
            todo.priority = Int(level)
        case "due": todo.due = try written()?.due()
        case "wait": todo.wait = try written()?.due()
        case "after":
            guard let list = field.value.list else { throw mistaken("not a list") }
            // Numbers are resolved when all todos of the file are known.
            todo.after = list.compactMap(\.text)
        case "every": todo.every = try written()?.rule()
        case "remind":
            if case .before? = todo.reminder { return }
            if let time = try written()?.due() { todo.reminder = .at(time) }
        case "remindBefore":
            // `list --json` writes microseconds.
            if let time = field.value.int {
                let minutes = Int(time / 60_000_000)
                guard (0...ForeignReminder.minutesMax).contains(minutes) else { throw mistaken(FieldText.noDuration) }
                todo.reminder = .before(minutes: minutes)
            } else if let written = try written() {
                todo.reminder = try written.reminder()
            }
        case "created": todo.created = try time()
        case "completed":
            todo.completed = try time()
            todo.isDone = true
        case "done":
            guard let isDone = field.value.bool else { throw mistaken("neither true nor false") }
            todo.isDone = isDone
            if !isDone { todo.completed = nil }
        // Origin, series and delivered reminders belong to the source list only.
        case "origin", "series", "reminded": break
        default: todo.attributes.append(.init(field.name, field.value.description))
        }
    }

    static func write(_ todos: [ForeignTodo]) -> String {
        let objects = todos.map { Value.record(fields(of: $0)).description }
        return objects.isEmpty ? "[\n]\n" : "[\n\(objects.joined(separator: ",\n"))\n]\n"
    }

    private static func fields(of todo: ForeignTodo) -> [Value.Field] {
        var fields: [Value.Field] = []
        func add(_ name: String, _ value: Value?) {
            if let value { fields.append(.init(name, value)) }
        }
        add("id", todo.source.map(Value.text))
        add("title", .text(todo.title))
        // Empty parts are written too, because a missing member means unspecified.
        add("note", .text(todo.note))
        add("tags", .list(todo.tags.map(Value.text)))
        add("priority", .int(Int64(todo.priority)))
        add("due", todo.due.map { Value.text($0.text) } ?? .null)
        add("wait", todo.wait.map { Value.text($0.text) } ?? .null)
        add("after", .list(todo.after.map(Value.text)))
        add("every", .text(todo.every?.text ?? ""))
        switch todo.reminder {
        case nil: add("remind", .null)
        case .at(let time)?: add("remind", .text(time.text))
        case .before(let minutes)?: add("remindBefore", .text(FormatDuration.text(minutes)))
        }
        if !todo.isDone || todo.completed == nil { add("done", .bool(todo.isDone)) }
        if todo.isDone { add("completed", todo.completed.map { .text(FormatTime.iso($0)) }) }
        add("created", todo.created.map { .text(FormatTime.iso($0)) })
        for attribute in todo.attributes { add(attribute.name, try? Value(parsing: attribute.value)) }
        return fields
    }
}

import ChronicleValues
import Dates

/// The JSON of `task export` and `task import`.
///
/// A project is the tag `project:NAME`, and each annotation is a line of the note. `recur` is imported if the rule is
/// simple. If several pending tasks have the same pattern, only the last gets the rule; the others are missed
/// occurrences. Deleted tasks and recurrence patterns, which Taskwarrior itself does not list, are skipped. `id`,
/// `urgency` and `modified` are computed by Taskwarrior; all other attributes are kept.
enum TaskwarriorFormat {
    /// Whether the JSON looks like a Taskwarrior export.
    static func isLikely(_ bytes: [UInt8]) -> Bool {
        let beginning = String(decoding: bytes.prefix(16_384), as: UTF8.self)
        return beginning.contains("\"description\"") && beginning.contains("\"uuid\"")
    }

    static func read(_ bytes: [UInt8], at place: FormatPlace) throws(FormatError) -> FormatReading {
        var reading = FormatReading()
        try JSONElements.read(bytes) { value, line throws(FormatError) in
            guard let task = value.record else { throw FormatError(line: line, "a task must be an object") }
            guard task["status"] != "deleted", task["status"] != "recurring" else {
                reading.leftOut += 1
                return
            }
            try reading.add(todo(task, line, place))
        }
        letLastRecur(&reading.todos)
        return reading
    }

    /// Of several pending tasks of one pattern only the last recurs.
    ///
    /// Otherwise each would get successors.
    private static func letLastRecur(_ todos: inout [ForeignTodo]) {
        var last: [String: Int] = [:]
        for (index, todo) in todos.enumerated() where todo.every != nil {
            guard let pattern = todo.attribute(ForeignTodo.patternAttribute) else { continue }
            guard let other = last[pattern], let due = todo.due, let before = todos[other].due else {
                last[pattern] = index
                continue
            }
            let missed = before < due ? other : index
            if missed == other { last[pattern] = index }
            todos[missed].every = nil
        }
    }

    private static func todo(_ task: [Value.Field], _ line: Int, _ place: FormatPlace) throws(FormatError) -> ForeignTodo {
        guard let title = task["description"]?.text, !Words.isBlank(title) else {
            throw FormatError(line: line, "a task needs a description")
        }
        var todo = ForeignTodo(title: Words.trimmed(title), line: line)
        for field in task {
            let isNone = field.value.isNull || field.value.text == ""
            if !isNone { try take(field, into: &todo, place) }
            if let part = parts[field.name], isNone || part != .every { todo.expressed.insert(part) }
        }
        todo.isDone = task["status"] == "completed"
        if !todo.isDone {
            todo.completed = nil
            // A done task does not recur, and in Taskwarrior recurrence requires a due date.
            if todo.due != nil { todo.every = value(todo, "recur")?.text.flatMap { rule($0) } }
            if todo.every != nil { todo.attributes.removeAll { $0.name == "recur" } }
        }
        if let project = task["project"]?.text, !project.isEmpty { todo.tags.insert(Project.tag(Words.trimmed(project)), at: 0) }
        return todo
    }

    static let parts: [String: TodoFormat.Part] = [
        "annotations": .note, "priority": .priority, "due": .due, "wait": .wait, "depends": .after, "recur": .every,
        "status": .done,
    ]
    /// Longer notes are not split into annotations.
    private static let annotationsBytesMax = 16_384

    private static func take(_ field: Value.Field, into todo: inout ForeignTodo, _ place: FormatPlace) throws(FormatError) {
        func mistaken(_ what: String) -> FormatError { FormatError(line: todo.line, "\(field.name) is \(what)") }
        func seconds() throws(FormatError) -> Int64 {
            guard let time = field.value.text.flatMap({ BasicTime($0) }), time.second != nil else {
                throw mistaken("not a time such as 20261201T133000Z")
            }
            return time.seconds(in: place.zone)
        }
        switch field.name {
        case "description", "status", "project", "id", "urgency", "modified": break
        case "uuid":
            guard let text = field.value.text, !text.isEmpty else { throw mistaken("not a text") }
            todo.source = text
        case "entry": todo.created = try seconds() * 1_000_000
        case "end": todo.completed = try seconds() * 1_000_000
        case "due", "wait":
            let instant = try seconds()
            let due = Self.due(at: instant, place)
            if field.name == "due" { todo.due = due } else { todo.wait = due }
            // For example the end of a day, 23:59:59.
            if place.seconds(of: due) != instant { todo.attributes.append(.init(field.name, field.value.description)) }
        case "priority":
            guard let level = field.value.text.flatMap({ levels.firstIndex(of: $0) }) else {
                todo.attributes.append(.init(field.name, field.value.description))
                return
            }
            todo.priority = level
        case "tags":
            guard let tags = texts(field.value) else { throw mistaken("not a list of texts") }
            for tag in tags { Words.add(tag, to: &todo.tags) }
        case "depends":
            guard let others = texts(field.value) else { throw mistaken("not a list of tasks") }
            todo.after = others
        case "annotations":
            guard let annotations = field.value.list else { throw mistaken("not a list") }
            todo.note = annotations.compactMap { $0["description"]?.text }.joined(separator: "\n")
            let text = field.value.description
            if !annotations.isEmpty, text.utf8.count <= annotationsBytesMax { todo.attributes.append(.init(field.name, text)) }
        default: todo.attributes.append(.init(field.name, field.value.description))
        }
    }

    private static let periods: [(name: String, shift: TimeShift)] = [
        ("daily", TimeShift(count: 1, unit: .day)), ("weekly", TimeShift(count: 1, unit: .week)),
        ("monthly", TimeShift(count: 1, unit: .month)), ("yearly", TimeShift(count: 1, unit: .year)),
        ("biweekly", TimeShift(count: 2, unit: .week)), ("fortnight", TimeShift(count: 2, unit: .week)),
        ("bimonthly", TimeShift(count: 2, unit: .month)), ("quarterly", TimeShift(count: 3, unit: .month)),
        ("semiannual", TimeShift(count: 6, unit: .month)), ("annual", TimeShift(count: 1, unit: .year)),
        ("biannual", TimeShift(count: 2, unit: .year)), ("biyearly", TimeShift(count: 2, unit: .year)),
    ]
    private static let weekdays = try? Recurrence("every weekday")

    /// `weekly`, `2weeks`, `3d`.
    private static func rule(_ text: String) -> Recurrence? {
        if text == "weekdays" { return weekdays }
        if let period = periods.first(where: { $0.name == text }) { return Recurrence(every: period.shift) }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let name = text[digits.endIndex...]
        guard let count = digits.isEmpty ? 1 : Int(digits), let unit = TimeShift.Unit(name) else { return nil }
        return Recurrence(every: TimeShift(count: count, unit: unit))
    }

    /// The `recur` of a todo; requires a due date.
    static func recur(_ todo: ForeignTodo) -> String? {
        guard !todo.isDone, todo.due != nil, let rule = todo.every else { return nil }
        if rule == weekdays { return "weekdays" }
        guard let shift = rule.interval else { return nil }
        if let period = periods.first(where: { $0.shift == shift }) { return period.name }
        switch shift.unit {
        case .day: return "\(shift.count)days"
        case .week: return "\(shift.count)weeks"
        case .month: return "\(shift.count)months"
        case .year: return "\(shift.count)years"
        case .second, .minute, .hour: return nil
        }
    }

    private static let levels = ["", "L", "M", "H"]

    /// A list, or the comma-separated texts of older versions.
    private static func texts(_ value: Value) -> [String]? {
        if let text = value.text { return text.split(separator: ",").map(String.init) }
        guard let list = value.list else { return nil }
        let texts = list.compactMap(\.text).filter { !$0.isEmpty }
        return list.allSatisfy { $0.text != nil } ? texts : nil
    }

    /// A time of midnight is a day, as in Taskwarrior.
    private static func due(at seconds: Int64, _ place: FormatPlace) -> Due {
        let due = place.due(at: seconds)
        return place.zone.instant(due.day, 0) == seconds ? Due(day: due.day) : due
    }
}

extension TaskwarriorFormat {
    static func write(_ todos: [ForeignTodo], at place: FormatPlace) -> String {
        let tasks = todos.map { Value.record(fields(of: $0, place)).description }
        return tasks.isEmpty ? "[\n]\n" : "[\n\(tasks.joined(separator: ",\n"))\n]\n"
    }

    private static func fields(of todo: ForeignTodo, _ place: FormatPlace) -> [Value.Field] {
        var fields: [Value.Field] = []
        func add(_ name: String, _ text: String?) {
            if let text { fields.append(.init(name, .text(text))) }
        }
        func time(_ name: String, _ due: Due?) {
            guard let due else { return }
            let seconds = place.seconds(of: due)
            let kept = value(todo, name)?.text.flatMap { BasicTime($0) }?.seconds(in: place.zone)
            let same = kept.flatMap { self.due(at: $0, place) == due ? $0 : nil }
            add(name, FormatTime.basic(same ?? seconds))
        }
        add("uuid", todo.source)
        add("description", Words.onOneLine(todo.title))
        add("status", todo.isDone ? "completed" : "pending")
        add("entry", todo.created.map { FormatTime.basic(FormatTime.seconds($0)) })
        if todo.isDone { add("end", (todo.completed ?? todo.created).map { FormatTime.basic(FormatTime.seconds($0)) }) }
        time("due", todo.due)
        time("wait", todo.wait)
        add("recur", recur(todo))
        if todo.priority > 0, todo.priority < levels.count { add("priority", levels[todo.priority]) }
        let project = todo.tags.first { Project.name($0) != nil }
        add("project", project.flatMap(Project.name))
        let tags = todo.tags.filter { $0 != project }.map { Words.asOne($0).replacing(",", with: "_") }
        if !tags.isEmpty { fields.append(.init("tags", .list(tags.map(Value.text)))) }
        let kept = value(todo, "recur")?.text.flatMap { rule($0) }
        let hasRule = todo.due != nil && (recur(todo) != nil || kept != nil)
        let annotations = annotations(of: todo)
        if !annotations.isEmpty { fields.append(.init("annotations", .list(annotations))) }
        if !todo.after.isEmpty { fields.append(.init("depends", .list(todo.after.map(Value.text)))) }
        for attribute in todo.attributes where !["due", "wait", "annotations"].contains(attribute.name) {
            // An open todo without a rule had its rule removed after the import.
            if attribute.name == "recur", !todo.isDone, hasRule { continue }
            guard attribute.name != "priority" || todo.priority == 0, let value = try? Value(parsing: attribute.value) else {
                continue
            }
            fields.append(.init(attribute.name, value))
        }
        return fields
    }

    private static func value(_ todo: ForeignTodo, _ name: String) -> Value? {
        todo.attribute(name).flatMap { try? Value(parsing: $0) }
    }

    /// One annotation for each line of the note that is not blank.
    ///
    /// Existing annotations keep their times, which identify and order them.
    private static func annotations(of todo: ForeignTodo) -> [Value] {
        let kept = value(todo, "annotations")?.list ?? []
        guard kept.compactMap({ $0["description"]?.text }).joined(separator: "\n") != todo.note else { return kept }
        var last = todo.created.map(FormatTime.seconds) ?? 0
        return todo.note.split(whereSeparator: \.isNewline).filter { !Words.isBlank($0) }.map { (line) -> Value in
            let text = Words.onOneLine(String(line))
            let found = kept.first { $0["description"]?.text == text }?["entry"]?.text.flatMap { BasicTime($0) }
            last = max(found?.seconds(in: FormatTime.utc) ?? 0, last + 1)
            return ["entry": .text(FormatTime.basic(last)), "description": .text(text)]
        }
    }
}

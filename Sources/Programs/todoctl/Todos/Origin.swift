import Dates
import Reducing
import TodoFormats

/// Where a todo that was imported comes from.
struct Origin: Equatable {
    /// The format, and what its file calls the todo: `taskwarrior:f0b1b1a0-…`.
    var source: String
    /// What its file says of it that means nothing here.
    var attributes: [ForeignAttribute]
    /// What came from its file, part by part, where one says nothing of what there is none of: who imports it again takes away no more.
    var said: [TodoFormat.Part: String] = [:]
    /// The tags that came from there.
    var tags: [String] = []

    private static let titled = "title:"
    private static let tagged = "tag:"

    /// That of a todo of a file.
    init(_ todo: ForeignTodo, _ format: TodoFormat) {
        source = "\(format.rawValue):" + (todo.source ?? Self.titled + TodoIdentity.number(ofTitle: todo.title))
        attributes = todo.attributes
        guard format.leavesOutNone else { return }
        for part in todo.said.intersection(format.parts) where part != .tags { said[part] = todo.text(of: part) }
        tags = todo.tags
    }

    /// As the daemon sends it.
    init?(_ value: Value) {
        guard let source = value["source"]?.text ?? (value["attributes"] == nil ? nil : "") else { return nil }
        self.source = source
        attributes = (value["attributes"]?.list ?? []).compactMap { attribute in
            guard let name = attribute["name"]?.text, let text = attribute["text"]?.text else { return nil }
            return ForeignAttribute(name, text)
        }
        let words = (value["said"]?.list ?? []).compactMap(\.text)
        for word in words {
            let halves = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let rest = halves.count == 2 ? String(halves[1]) : ""
            if word.hasPrefix(Self.tagged) {
                tags.append(rest)
            } else if let part = TodoFormat.Part(rawValue: String(halves[0])) {
                said[part] = rest
            }
        }
    }

    /// In the form of the wire.
    var value: Value {
        var fields: [Value.Field] = [.init("source", .text(source))]
        if !attributes.isEmpty {
            fields.append(
                .init("attributes", .list(attributes.map { ["name": .text($0.name), "text": .text($0.value)] })))
        }
        let parts = TodoFormat.Part.allCases.compactMap { part in said[part].map { "\(part.rawValue):\($0)" } }
        let words = parts + tags.map { Self.tagged + $0 }
        if !words.isEmpty { fields.append(.init("said", .list(words.map(Value.text)))) }
        return .record(fields)
    }

    /// Whether it comes from a file of that format.
    func isOf(_ format: TodoFormat) -> Bool { source.hasPrefix(format.rawValue + ":") }

    /// What a file of that format calls it; `nil` where it names none.
    func name(in format: TodoFormat) -> String? {
        guard isOf(format) else { return nil }
        let name = source.dropFirst(format.rawValue.count + 1)
        return name.hasPrefix(Self.titled) ? nil : String(name)
    }

    /// The number of the title that it had in a file of that format which names no todos.
    func title(in format: TodoFormat) -> String? {
        guard isOf(format) else { return nil }
        let name = source.dropFirst(format.rawValue.count + 1)
        return name.hasPrefix(Self.titled) ? String(name.dropFirst(Self.titled.count)) : nil
    }
}

/// What a format calls the todos of a list, and how it would say them.
struct TodoNames {
    let format: TodoFormat
    private var ids: [String: Int64] = [:]
    private var names: [Int64: String] = [:]

    init(_ todos: [Todo], _ format: TodoFormat) {
        self.format = format
        for todo in todos {
            // One that was exported has the name that is made of its id, whatever it came from.
            let made = TodoIdentity.uuid(id: todo.id, created: todo.created ?? 0)
            if ids[made] == nil { ids[made] = todo.id }
            if let given = todo.origin?.name(in: format) {
                ids[given] = todo.id
                names[todo.id] = given
            } else {
                names[todo.id] = made
            }
        }
    }

    /// The todo of that name.
    func id(named name: String) -> Int64? { ids[name] }

    /// A todo as a file of the format says it.
    func foreign(_ todo: Todo) -> ForeignTodo {
        var foreign = ForeignTodo(title: todo.title)
        foreign.source = todo.origin?.name(in: format) ?? (format.namesTodos ? names[todo.id] : nil)
        foreign.note = todo.note
        foreign.tags = todo.tags
        foreign.priority = todo.priority
        foreign.due = todo.due
        foreign.wait = todo.wait
        foreign.after = todo.after.compactMap { names[$0] }
        foreign.every = todo.isDone || todo.every.isEmpty ? nil : try? Recurrence(todo.every)
        foreign.reminder = todo.remind.map(ForeignReminder.at)
        if let before = todo.remindBefore { foreign.reminder = .before(minutes: Int(clamping: before / 60_000_000)) }
        foreign.created = todo.created
        foreign.isDone = todo.isDone
        foreign.completed = todo.completed
        if let origin = todo.origin, origin.isOf(format) { foreign.attributes = origin.attributes }
        return foreign
    }
}

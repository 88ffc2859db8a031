import Chronicle
import Dates
import TodoFormats

/// Where a todo that was imported comes from.
struct Origin: Equatable {
    /// The format, and what its file calls the todo: `taskwarrior:f0b1b1a0-…`.
    var source: String
    /// What its file says of it that means nothing here.
    var attributes: [ForeignAttribute]
    /// What came from its file, where one says nothing of what there is none of: `title`, `due:2026-12-01`, `tag:work`.
    ///
    /// Who imports it again takes away no more. Empty where that was not noted, as by version 0.1.0.
    var said: [String] = []

    private static let titled = "title:"
    private static let tagged = "tag:"
    // Each todo has one of its file.
    private static let noted = "title"

    /// That of a todo of a file.
    init(_ todo: ForeignTodo, _ format: TodoFormat) {
        source = "\(format.rawValue):" + (todo.source ?? Self.titled + TodoIdentity.number(ofTitle: todo.title))
        attributes = todo.attributes
        guard format.leavesOutNone else { return }
        let spoken = todo.said.intersection(format.parts).subtracting([.tags])
        let parts = TodoFormat.Part.allCases.filter(spoken.contains)
        said = [Self.noted] + parts.map { Self.word($0, todo.text(of: $0)) } + todo.tags.map { Self.tagged + $0 }
    }

    private static func word(_ part: TodoFormat.Part, _ text: String) -> String { "\(part.rawValue):\(text)" }

    /// What came from its file of a part.
    func text(of part: TodoFormat.Part) -> String? {
        let beginning = Self.word(part, "")
        return said.first { $0.hasPrefix(beginning) }.map { String($0.dropFirst(beginning.count)) }
    }

    /// The rule that came from there as it goes on from the due that did so.
    var anchoredRule: String? {
        guard let rule = text(of: .every).flatMap({ try? Recurrence($0) }), let due = text(of: .due).flatMap(Due.init(text:))
        else { return nil }
        return rule.anchored(at: due.day).text
    }

    /// The tags that came from there.
    var tags: [String] { said.filter { $0.hasPrefix(Self.tagged) }.map { String($0.dropFirst(Self.tagged.count)) } }

    /// Leaves of what came from its file what another origin has as well, some parts, and some tags.
    mutating func keepSaid(of other: Origin?, _ parts: [TodoFormat.Part], _ tags: [String]) {
        let beginnings = parts.map { Self.word($0, "") }
        said.removeAll { word in
            word != Self.noted && other?.said.contains(word) != true && !tags.contains { word == Self.tagged + $0 }
                && !beginnings.contains(where: word.hasPrefix)
        }
    }

    /// As the daemon sends it.
    init?(_ value: Value) {
        guard let source = value["source"]?.text ?? (value["attributes"] == nil ? nil : "") else { return nil }
        self.source = source
        attributes = (value["attributes"]?.list ?? []).compactMap { attribute in
            guard let name = attribute["name"]?.text, let text = attribute["text"]?.text else { return nil }
            return ForeignAttribute(name, text)
        }
        said = (value["said"]?.list ?? []).compactMap(\.text)
    }

    /// In the form of the wire.
    var value: Value {
        var fields: [Value.Field] = [.init("source", .text(source))]
        if !attributes.isEmpty {
            fields.append(
                .init("attributes", .list(attributes.map { ["name": .text($0.name), "text": .text($0.value)] })))
        }
        if !said.isEmpty { fields.append(.init("said", .list(said.map(Value.text)))) }
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

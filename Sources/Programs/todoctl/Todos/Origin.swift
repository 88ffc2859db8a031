import Chronicle
import Dates
import TodoFormats

/// The source of an imported todo.
struct Origin: Equatable {
    /// The format and the id in its file: `taskwarrior:f0b1b1a0-…`.
    var source: String
    /// Attributes of the file without a meaning here.
    var attributes: [ForeignAttribute]
    /// The imported values, for formats that omit empty parts: `title`, `due:2026-12-01`, `tag:work`.
    ///
    /// Another import removes only these. Empty for imports of version 0.1.0.
    var said: [String] = []

    private static let titled = "title:"
    private static let tagged = "tag:"
    // Each todo has a title.
    private static let noted = "title"

    init(_ todo: ForeignTodo, _ format: TodoFormat) {
        source = "\(format.rawValue):" + (todo.source ?? Self.titled + TodoIdentity.number(ofTitle: todo.title))
        attributes = todo.attributes
        guard format.leavesOutNone else { return }
        let spoken = todo.said.intersection(format.parts).subtracting([.tags])
        let parts = TodoFormat.Part.allCases.filter(spoken.contains)
        said = [Self.noted] + parts.map { Self.word($0, todo.text(of: $0)) } + todo.tags.map { Self.tagged + $0 }
    }

    private static func word(_ part: TodoFormat.Part, _ text: String) -> String { "\(part.rawValue):\(text)" }

    /// The imported value of a part.
    func text(of part: TodoFormat.Part) -> String? {
        let beginning = Self.word(part, "")
        return said.first { $0.hasPrefix(beginning) }.map { String($0.dropFirst(beginning.count)) }
    }

    /// The imported rule, anchored at the imported due date.
    var anchoredRule: String? {
        guard let rule = text(of: .every).flatMap({ try? Recurrence($0) }), let due = text(of: .due).flatMap(Due.init(text:))
        else { return nil }
        return rule.anchored(at: due.day).text
    }

    var tags: [String] { said.filter { $0.hasPrefix(Self.tagged) }.map { String($0.dropFirst(Self.tagged.count)) } }

    /// Keeps only values that another origin has as well, some parts, and some tags.
    mutating func keepSaid(of other: Origin?, _ parts: [TodoFormat.Part], _ tags: [String]) {
        let beginnings = parts.map { Self.word($0, "") }
        said.removeAll { word in
            word != Self.noted && other?.said.contains(word) != true && !tags.contains { word == Self.tagged + $0 }
                && !beginnings.contains(where: word.hasPrefix)
        }
    }

    init?(_ value: Value) {
        guard let source = value["source"]?.text ?? (value["attributes"] == nil ? nil : "") else { return nil }
        self.source = source
        attributes = (value["attributes"]?.list ?? []).compactMap { attribute in
            guard let name = attribute["name"]?.text, let text = attribute["text"]?.text else { return nil }
            return ForeignAttribute(name, text)
        }
        said = (value["said"]?.list ?? []).compactMap(\.text)
    }

    var value: Value {
        var fields: [Value.Field] = [.init("source", .text(source))]
        if !attributes.isEmpty {
            fields.append(
                .init("attributes", .list(attributes.map { ["name": .text($0.name), "text": .text($0.value)] })))
        }
        if !said.isEmpty { fields.append(.init("said", .list(said.map(Value.text)))) }
        return .record(fields)
    }

    func isOf(_ format: TodoFormat) -> Bool { source.hasPrefix(format.rawValue + ":") }

    /// The id in files of that format; `nil` if the format has no ids.
    func name(in format: TodoFormat) -> String? {
        guard isOf(format) else { return nil }
        let name = source.dropFirst(format.rawValue.count + 1)
        return name.hasPrefix(Self.titled) ? nil : String(name)
    }

    /// The hash of the title in a file of a format without ids.
    func title(in format: TodoFormat) -> String? {
        guard isOf(format) else { return nil }
        let name = source.dropFirst(format.rawValue.count + 1)
        return name.hasPrefix(Self.titled) ? String(name.dropFirst(Self.titled.count)) : nil
    }
}

/// The ids of todos in a format, and how the format writes them.
struct TodoNames {
    let format: TodoFormat
    private var ids: [String: Int64] = [:]
    private var names: [Int64: String] = [:]

    init(_ todos: [Todo], _ format: TodoFormat) {
        self.format = format
        for todo in todos {
            // An exported todo is also identified by the UUID of its id.
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

    func id(named name: String) -> Int64? { ids[name] }

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

import Chronicle

enum ChangeSentence {
    /// The outcome for a named thing: `Call the bank is back`.
    enum Outcome: String {
        case back, gone, done
        case open = "open again"

        var colour: Paint.Colour? {
            switch self {
            case .back: .green
            case .gone: .red
            case .done, .open: nil
            }
        }
    }

    private static let namedMax = 3

    /// `+ 6: Send the invoice`, `4: due Thu 26 Nov 2026 → none`, `counter: 1 → 2`; `nil` for internal fields.
    ///
    /// - Parameters:
    ///   - isUndo: whether an undo made the change: `Send the invoice is back`.
    ///   - alike: titles shared by several todos, which are shown with their ids.
    static func of(
        _ change: Change, isUndo: Bool, alike: Set<String> = [], titles: [Int64: String] = [:], paint: Paint
    ) -> String? {
        if isInternal(change) { return nil }
        if isUndo, let (thing, outcome) = Self.outcome(of: change, alike: alike) {
            return paint("\(thing) is \(outcome.rawValue)", outcome.colour)
        }
        let id = change.path == "todos.items" ? "\(change.id ?? 0): " : ""
        switch change.kind {
        case .insert: if let thing = plain(change) { return paint("+ \(id)\(thing)", .green) }
        case .remove: if let thing = plain(change) { return paint("- \(id)\(thing)", .red) }
        case .replace:
            if let text = replaced(change, isUndo: isUndo, alike: alike) { return text }
        case .move where change.path == "todos.items":
            let title = isUndo ? title(of: change, titles).map { named($0, of: change, alike: alike) + ": " } : nil
            return "\(title ?? id)place \((change.from ?? 0) + 1) → \((change.at ?? 0) + 1)"
        case .set where change.path == "stars.items":
            if let button = StarLine.star(change) { return star(button.name, phase: button.value["phase"]?.text ?? "") }
        case .move, .set: break
        }
        let line = ChangeLines.line(change, paint: paint).trimmingPrefix { $0 == " " }.description
        guard let name = fields.first(where: { line.hasPrefix($0.path + ":") }) else { return line }
        return name.words + line.dropFirst(name.path.count)
    }

    /// `Milk, Dog and Car are back` if all things have the same outcome; `nil` otherwise, and for a single change.
    static func together(_ changes: [Change], paint: Paint) -> String? {
        var things: [String] = []
        var shared: Outcome?
        let alike = alike(changes)
        for change in changes.sorted(by: { ($0.id ?? 0) < ($1.id ?? 0) }) where !isInternal(change) {
            guard let (thing, outcome) = Self.outcome(of: change, alike: alike), shared == nil || shared == outcome else {
                return nil
            }
            shared = outcome
            things.append(thing)
        }
        guard things.count > 1, let shared else { return nil }
        return paint("\(listed(things)) are \(shared.rawValue)", shared.colour)
    }

    /// `Milk, Dog and Car`, `Milk, Dog, Car and 9 more`.
    static func listed(_ things: [String]) -> String {
        let rest = things.count - namedMax
        if rest > 0 { return things.prefix(namedMax).joined(separator: ", ") + " and \(Digits.grouped(rest)) more" }
        guard let last = things.last, things.count > 1 else { return things.first ?? "" }
        return things.dropLast().joined(separator: ", ") + " and " + last
    }

    static func alike(_ changes: [Change], titles: [Int64: String] = [:]) -> Set<String> {
        var ids: [String: Int64] = [:]
        var alike: Set<String> = []
        for change in changes where change.path == "todos.items" {
            guard let id = change.id, let title = title(of: change, titles) else { continue }
            if ids.updateValue(id, forKey: title) ?? id != id { alike.insert(title) }
        }
        return alike
    }

    private static func title(of change: Change, _ titles: [Int64: String]) -> String? {
        ElementName.text(change) ?? change.id.flatMap { titles[$0] }.map(Visible.text)
    }

    private static func named(_ title: String, of change: Change, alike: Set<String>) -> String {
        guard change.path == "todos.items", alike.contains(title) else { return title }
        return "\(change.id ?? 0): \(title)"
    }

    /// The outcome for the change's thing; `nil` if it has no name or changed only in part.
    private static func outcome(of change: Change, alike: Set<String>) -> (thing: String, outcome: Outcome)? {
        guard let name = ElementName.text(change) else { return nil }
        let thing = named(name, of: change, alike: alike)
        switch change.kind {
        case .insert: return (thing, .back)
        case .remove: return (thing, .gone)
        case .replace:
            guard change.path == "todos.items", let (old, new) = todos(change), old.isDone != new.isDone,
                TodoSentences.differences(old, new).count == 1
            else { return nil }
            return (thing, new.isDone ? .done : .open)
        case .move, .set: return nil
        }
    }

    private static func plain(_ change: Change) -> String? {
        guard let thing = ElementName.text(change) else { return nil }
        return thing.hasPrefix("the ") && change.path != "todos.items" ? String(thing.dropFirst(4)) : thing
    }

    private static func replaced(_ change: Change, isUndo: Bool, alike: Set<String>) -> String? {
        if change.path == "todos.items" {
            guard let (old, new) = todos(change) else { return nil }
            let differences = TodoSentences.differences(old, new).joined(separator: ", ")
            let title = named(Visible.text(new.title), of: change, alike: alike)
            let subject = isUndo && old.title == new.title ? title : "\(old.id)"
            return "\(subject): "
                + (differences.isEmpty ? ChangeLines.differences(by: change) : differences)
        }
        return plain(change).map { "\($0): " + ChangeLines.differences(by: change) }
    }

    private static func todos(_ change: Change) -> (Todo, Todo)? {
        guard let old = change.old.flatMap(Todo.init), let new = change.new.flatMap(Todo.init) else { return nil }
        return (old, new)
    }

    private static func star(_ id: String, phase: String) -> String {
        let id = Visible.text(id)
        switch phase {
        case "star": return "\(id) has the star"
        case "unstar": return "\(id) has no star"
        case "staring": return "a star for \(id) is asked for"
        case "unstaring": return "the star of \(id) is being taken back"
        default: return "the star of \(id): \(Visible.text(phase))"
        }
    }

    /// Whether a change sets only the next id.
    static func isNumbering(_ change: Change) -> Bool {
        change.kind == .set && (change.new ?? change.old)?.record?.map(\.name) == ["nextID"]
    }

    /// Whether a change sets only fields that no user sets: next id, next page, pending requests.
    private static func isInternal(_ change: Change) -> Bool {
        guard change.kind == .set, let fields = (change.new ?? change.old)?.record, fields.count == 1 else { return false }
        return change.path != "stars.items" && internals.contains(fields[0].name)
    }

    private static let internals: Set = ["nextID", "nextPage", "loading", "isLive", "timedOut", "languages"]

    private static let fields = [
        (path: "counter.count", words: "counter"), (path: "todos.draft", words: "draft"),
        (path: "repositories.language", words: "language"),
    ]

    /// `Todo 5` for `todos.items[5].title`; any other path unchanged.
    static func place(_ path: String) -> String {
        let list = "todos.items["
        guard path.hasPrefix(list), let end = path.firstIndex(of: "]") else { return path }
        return "Todo " + path[path.index(path.startIndex, offsetBy: list.count)..<end]
    }
}

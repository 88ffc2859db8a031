import Chronicle
import TodoFormats

/// The effect of a step as a command: `remove 6`, `done 12 todos`, `view remove work`.
struct ActionSummary {
    let verb: String
    // Ids or names of the affected things. Things with an id appear once.
    private var names: [String] = []
    private var known: Set<String> = []
    private var count: Int?
    // Whether the names are long texts; several of them are only counted.
    private var areTexts = false
    private let noun: (one: String, several: String)

    static let namedMax = 3

    /// - Parameter changes: the action's changes; provide the name of a removed thing.
    init(_ action: Value, _ changes: [Change] = []) {
        let path = RecordLines.path(action)
        let payload = RecordLines.payload(action)
        let feature = path.first ?? ""
        verb = Self.verb(path, payload)
        noun = Self.nouns[feature] ?? ("thing", "things")
        if let items = payload["items"]?.list, feature == "todos" {
            names = items.compactMap { ($0["todo"] ?? $0)["title"]?.text.map(Visible.text) }
            (count, areTexts) = (items.count, true)
        } else if let name = Self.name(path, payload, changes) {
            names = [name]
            known = [name]
            count = 1
        }
    }

    /// Whether one more thing would be named instead of counted.
    var canAddName: Bool { names.count < Self.namedMax }

    var text: String {
        guard let count else { return verb }
        let isListed = names.count == count && count > 0 && count <= (areTexts ? 1 : Self.namedMax)
        return "\(verb) " + (isListed ? names.joined(separator: ", ") : Digits.counted(count, noun.one, noun.several))
    }

    mutating func join(_ other: ActionSummary) {
        guard other.verb == verb, let more = other.count else { return }
        let new = areTexts ? other.names : other.names.filter { known.insert($0).inserted }
        names += new
        count = (count ?? 0) + (areTexts ? more : new.count)
    }

    /// Whether only the action's changes provide the name of its thing.
    static func isNamedByChanges(_ action: Value) -> Bool {
        let path = RecordLines.path(action)
        guard path.first != "todos", fields[path.joined(separator: ".")] == nil else { return false }
        return RecordLines.payload(action)["id"]?.int != nil
    }

    /// The format of the imported file; `nil` if not all todos were imported from one format.
    static func importSource(_ items: [Value]) -> String? {
        let formats = Set(items.map { TodoFormat(rawValue: String(($0["origin"]?["source"]?.text ?? "").prefix { $0 != ":" })) })
        guard formats.count == 1, let format = formats.first else { return nil }
        return format?.rawValue
    }

    private static func name(_ path: [String], _ payload: Value, _ changes: [Change]) -> String? {
        if let field = fields[path.joined(separator: ".")] { return payload[field]?.text.map(Visible.text) }
        guard let id = payload["id"] else { return nil }
        let change = changes.first { $0.path == (path.first ?? "") + ".items" && $0.id != nil && $0.id == id.int }
        if path.first != "todos", let name = change.flatMap(ElementName.name) { return name }
        return Tree.compact(id)
    }

    private static func verb(_ path: [String], _ payload: Value) -> String {
        let name = path.joined(separator: ".")
        if name == "todos.add", importSource(payload["items"]?.list ?? []) != nil { return "import" }
        if name == "flows.ended" { return payload["result"]?.text == nil ? "flow cancel" : "flow answer" }
        if let verb = verbs[name] { return verb }
        var words = path
        if path.first == "todos" { words.removeFirst() }
        if let feature = path.first, let group = groups[feature] { words[0] = group }
        return words.map(Visible.text).joined(separator: " ")
    }

    private static let verbs = [
        "todos.complete": "done", "todos.clearCompleted": "clear", "todos.updateText": "draft", "todos.putBack": "put back",
        "todos.loaded": "load", "views.change": "view save", "stars.staring": "star press", "stars.unstaring": "star press",
        "repositories.setLanguage": "repos language", "repositories.browse": "repos language", "flows.started": "flow start",
    ]

    private static let groups = ["views": "view", "stars": "star", "repositories": "repos", "flows": "flow"]

    private static let fields = [
        "views.save": "name", "repositories.setLanguage": "language", "repositories.browse": "language", "flows.started": "kind",
        "flows.start": "kind", "flows.ended": "result",
    ]

    fileprivate static let nouns: [String: (one: String, several: String)] = [
        "todos": ("todo", "todos"), "views": ("view", "views"), "stars": ("star", "stars"), "alerts": ("alert", "alerts"),
        "posts": ("post", "posts"), "repositories": ("repository", "repositories"), "flows": ("question", "questions"),
    ]
}

/// A restore of everything or of some todos to an earlier point: `put back 2 as it was at 57`, `revert --to 57`.
struct RestoreSummary {
    let point: UInt64
    private var features: Set<String> = []
    // The ids of restored todos; `nil` if other parts of their feature were restored too.
    private var ids: Set<Int64>? = []

    init(to point: UInt64) { self.point = point }

    mutating func take(_ action: Value) {
        let payload = RecordLines.payload(action)
        features.insert(RecordLines.path(action).first ?? "")
        for thing in payload["items"]?.list ?? [payload] {
            if let id = (thing["todo"] ?? thing)["id"]?.int { ids?.insert(id) } else { ids = nil }
        }
    }

    var text: String {
        guard features.count == 1, let feature = features.first else { return "revert --to \(point)" }
        guard feature == "todos" else {
            let several = ActionSummary.nouns[feature]?.several
            return "put back the \(several ?? Visible.text(feature)) as \(several == nil ? "it was" : "they were") at \(point)"
        }
        guard let ids, !ids.isEmpty else { return "revert --to \(point)" }
        let names = ids.count <= ActionSummary.namedMax ? TodoSentences.ids(ids.sorted()) : Digits.counted(ids.count, "todo")
        return "put back \(names) as \(ids.count == 1 ? "it was" : "they were") at \(point)"
    }
}

enum ElementName {
    // The list, the kind of its elements unless obvious, and the field that holds the name.
    private static let kinds: [(list: String, noun: String, field: String)] = [
        ("todos.items", "", "title"), ("views.items", "the view ", "name"), ("posts.items", "the post ", "title"),
        ("alerts.items", "the alert ", "text"), ("repositories.items", "the repository ", "fullName"),
        ("flows.items", "the question ", "kind"),
    ]

    static func name(_ change: Change) -> String? { parts(change)?.name }

    /// `the view work`; only the title for a todo.
    static func text(_ change: Change) -> String? { parts(change).map { $0.noun + $0.name } }

    private static func parts(_ change: Change) -> (noun: String, name: String)? {
        guard let kind = kinds.first(where: { $0.list == change.path }) else { return nil }
        return (change.new ?? change.old)?[kind.field]?.text.map { (kind.noun, Visible.text($0)) }
    }
}

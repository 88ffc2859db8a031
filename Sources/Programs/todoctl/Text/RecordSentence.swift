import Chronicle
import TodoAPI

/// Describes a log record without time and user: `removed 6: Send the invoice`.
///
/// Titles come from the action, or else from the changes.
struct RecordSentence {
    let record: RecordMessage
    let changes: [Change]
    private let titles: [Int64: String]
    private static let namedMax = 3

    /// - Parameter titles: titles of todos that neither the action nor the changes contain, such as moved ones.
    init(_ record: RecordMessage, _ changes: [Change]? = nil, titles: [Int64: String] = [:]) {
        self.record = record
        self.changes = changes ?? []
        self.titles = titles
    }

    /// The ids of todos that the records moved; moves carry no title.
    static func moved(by records: [RecordMessage]) -> [Int64] {
        named(by: records.filter { $0.action.map(RecordLines.path) == ["todos", "move"] })
    }

    static func named(by records: [RecordMessage]) -> [Int64] {
        records.compactMap { record in
            guard let action = record.action, RecordLines.path(action).first == "todos" else { return nil }
            return RecordLines.payload(action)["id"]?.int
        }
    }

    var text: String { said + Self.why(record) }

    /// ` (undoes record 12)`.
    static func why(_ record: RecordMessage) -> String {
        var text = ""
        if let undoes = record.undoes { text += " (undoes record \(undoes))" }
        if let restores = record.restores { text += " (as it was at record \(restores))" }
        if let merges = record.merges { text += " (merges a fork through \(merges))" }
        return text
    }

    private var said: String {
        guard let action = record.action else { return mark }
        let path = RecordLines.path(action)
        guard !path.isEmpty else { return mark }
        return known ?? plain(path, RecordLines.payload(action))
    }

    func ofTodos(_ name: String, _ payload: Value) -> String? {
        let items = payload["items"]?.list ?? []
        switch name {
        case "add":
            let source = ActionSummary.importSource(items)
            return source.map { "imported \(list(items)) (from \($0))" } ?? "added " + list(items)
        case "loaded": return "loaded " + list(items)
        case "putBack": return "put back " + list(items.map { $0["todo"] ?? $0 })
        case "complete": return "completed " + named(payload)
        case "reopen": return "reopened " + named(payload)
        case "remove": return "removed " + named(payload)
        case "move": return "moved " + named(payload) + place(payload)
        case "edit": return "changed " + edited(payload)
        case "submit": return "added what was typed"
        case "clearCompleted":
            let gone = changes.filter { $0.path == "todos.items" && $0.kind == .remove }.compactMap(\.old)
            let count = payload["ids"]?.list?.count ?? 0
            return "cleared " + (gone.count == count ? list(gone) : Digits.counted(count, "todo"))
        case "updateText":
            let text = payload["text"]?.text ?? ""
            return text.isEmpty ? "emptied the draft" : "typed: " + Visible.text(text)
        case "load": return "asked for todos to be loaded"
        case "reminded": return "reminded of " + named(payload)
        case "remindFailed": return "could not remind of \(named(payload)): " + reason(payload)
        case "remindCancelled": return "cancelled the reminder of " + named(payload)
        case "loadFailed": return "could not load todos: " + reason(payload)
        default: return nil
        }
    }

    /// `6: Send the invoice`, `3 todos: Milk, Dog, Car`.
    private func list(_ todos: [Value]) -> String {
        if todos.count == 1, let id = todos[0]["id"]?.int { return "\(id): " + ChangeLines.name(todos[0]) }
        let names = todos.prefix(Self.namedMax).map { ChangeLines.name($0) }
        let rest = todos.count > names.count ? " and \(Digits.grouped(todos.count - names.count)) more" : ""
        return Digits.counted(todos.count, "todo") + (names.isEmpty ? "" : ": " + names.joined(separator: ", ")) + rest
    }

    /// `6: Send the invoice`; only the id if the title is unknown.
    private func named(_ payload: Value) -> String {
        let id = payload["id"]?.int ?? 0
        guard let change = change(of: id), let todo = change.new ?? change.old, todo["title"]?.text != nil else {
            return "\(id)" + (titles[id].map { ": " + Visible.text($0) } ?? "")
        }
        return "\(id): " + ChangeLines.name(todo)
    }

    /// `4: Call the bank (due Thu 26 Nov 2026 → none)`, `4: Call the bank → Call my bank`; `4: Call the bank (due)` if the old
    /// value is unknown.
    private func edited(_ payload: Value) -> String {
        let id = payload["id"]?.int ?? 0
        guard let change = change(of: id), let old = change.old.flatMap(Todo.init), let new = change.new.flatMap(Todo.init) else {
            let parts = (payload.record ?? []).map(\.name).filter { $0 != "id" }.map(Visible.text).joined(separator: ", ")
            return named(payload) + (parts.isEmpty ? "" : " (\(parts))")
        }
        let differences = TodoSentences.differences(old, new).joined(separator: ", ")
        guard new.title == old.title else { return "\(id): \(differences)" }
        return "\(id): " + Visible.text(new.title) + (differences.isEmpty ? "" : " (\(differences))")
    }

    private func place(_ payload: Value) -> String {
        guard let id = payload["id"]?.int, let change = change(of: id), change.kind == .move, let from = change.from,
            let at = change.at
        else { return "" }
        return " (place \(from + 1) → \(at + 1))"
    }

    private func change(of id: Int64) -> Change? { changes.first { $0.path == "todos.items" && $0.id == id } }

    /// `counter increment`, `stars press swift`, `add amount 5`; omits lists and records, which may be long.
    private func plain(_ path: [String], _ payload: Value) -> String {
        let details = (payload.record ?? []).filter { $0.value.list == nil && $0.value.record == nil }
        let isValue = payload.record == nil && payload.list == nil && !payload.isNull
        let place = path.joined(separator: ".")
        let text =
            details.count == 1
            ? Tree.compact(details[0].value, of: place + "." + details[0].name)
            : Tree.compact(isValue ? payload : .record(details), of: place)
        return (path.map(Visible.text) + [text]).filter { !$0.isEmpty }.joined(separator: " ")
    }

    private var mark: String {
        let reason = record.reason.map { ": " + Visible.text($0) } ?? ""
        switch (record.kind, record.outcome) {
        case ("bookmark", _):
            let name = record.bookmark.map(Visible.text) ?? ""
            return record.at.map { "set the bookmark \(name) at \($0)" } ?? "removed the bookmark \(name)"
        case ("hold", _): return "held all commands"
        case ("release", _): return "released the commands"
        case ("lock", _): return "locked the log" + reason
        case ("unlock", _): return "unlocked the log"
        case ("end", "result"): return "it is done"
        case ("end", "superseded"): return "a later one took its place"
        case ("end", "failed"): return "it failed" + reason
        case ("end", let outcome?): return "it was \(Visible.text(outcome))" + reason
        default: return RecordLines.what(record)
        }
    }
}

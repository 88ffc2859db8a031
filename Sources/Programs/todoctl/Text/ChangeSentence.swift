import Reducing

/// A change of the state as a person would say it; what only the daemon needs is left out.
enum ChangeSentence {
    /// `+ 6: Send the invoice`, `4: due Thu 26 Nov 2026 → none`, `counter.count: 1 → 2`; `nil` of the numbers of ids.
    ///
    /// - Parameter isUndo: whether it is what taking something back changed: `Send the invoice is back`.
    static func of(_ change: Change, isUndo: Bool, paint: Paint) -> String? {
        let isOfTodos = change.path == "todos.items"
        let id = change.id ?? 0
        switch change.kind {
        case .insert where isOfTodos:
            let title = ChangeLines.name(change.new ?? .null)
            return paint(isUndo ? "\(title) is back" : "+ \(id): \(title)", .green)
        case .remove where isOfTodos:
            let title = ChangeLines.name(change.old ?? .null)
            return paint(isUndo ? "\(title) is gone" : "- \(id): \(title)", .red)
        case .replace where isOfTodos:
            guard let old = change.old.flatMap(Todo.init), let new = change.new.flatMap(Todo.init) else { break }
            let differences = TodoSentences.differences(old, new).joined(separator: ", ")
            return "\(old.id): "
                + (differences.isEmpty ? ChangeLines.differences(change.old ?? .null, change.new ?? .null) : differences)
        case .move where isOfTodos:
            return "\(id): place \((change.from ?? 0) + 1) → \((change.at ?? 0) + 1)"
        case .insert where change.path == "views.items":
            return paint(isUndo ? "the view \(view(change)) is back" : "+ view \(view(change))", .green)
        case .remove where change.path == "views.items":
            return paint(isUndo ? "the view \(view(change)) is gone" : "- view \(view(change))", .red)
        case .replace where change.path == "views.items":
            return "view \(view(change)): " + ChangeLines.differences(change.old ?? .null, change.new ?? .null)
        case .set where (change.new ?? change.old)?.record?.map(\.name) == ["nextID"]: return nil
        default: break
        }
        return ChangeLines.line(change, paint: paint).trimmingPrefix { $0 == " " }.description
    }

    private static func view(_ change: Change) -> String {
        (change.new ?? change.old)?["name"]?.text.map(Visible.text) ?? "\(change.id ?? 0)"
    }

    /// `Todo 5` of `todos.items[5].title`; of any other place its path.
    static func place(_ path: String) -> String {
        let list = "todos.items["
        guard path.hasPrefix(list), let end = path.firstIndex(of: "]") else { return path }
        return "Todo " + path[path.index(path.startIndex, offsetBy: list.count)..<end]
    }
}

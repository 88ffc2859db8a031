import Reducing

/// A change of the state as a person would say it; what only the daemon needs is left out.
enum ChangeSentence {
    /// `Send the invoice is back`, `4: due Thu 26 Nov 2026 → none`, `counter.count: 1 → 2`; `nil` of the numbers of ids.
    static func of(_ change: Change, paint: Paint) -> String? {
        let isOfTodos = change.path == "todos.items"
        switch change.kind {
        case .insert where isOfTodos: return paint("\(ChangeLines.name(change.new ?? .null)) is back", .green)
        case .remove where isOfTodos: return paint("\(ChangeLines.name(change.old ?? .null)) is gone", .red)
        case .replace where isOfTodos:
            guard let old = change.old.flatMap(Todo.init), let new = change.new.flatMap(Todo.init) else { break }
            return "\(old.id): " + TodoSentences.differences(old, new).joined(separator: ", ")
        case .move where isOfTodos:
            return "\(change.id ?? 0): place \((change.from ?? 0) + 1) → \((change.at ?? 0) + 1)"
        case .set where (change.new ?? change.old)?.record?.map(\.name) == ["nextID"]: return nil
        default: break
        }
        return ChangeLines.line(change, paint: paint).trimmingPrefix { $0 == " " }.description
    }

    /// `Todo 5` of `todos.items[5].title`; of any other place its path.
    static func place(_ path: String) -> String {
        let list = "todos.items["
        guard path.hasPrefix(list), let end = path.firstIndex(of: "]") else { return path }
        return "Todo " + path[path.index(path.startIndex, offsetBy: list.count)..<end]
    }
}

import Chronicle
import TodoAPI

/// The net effect of consecutive moves; omits intermediate positions.
struct MovedTodos {
    private struct Todo {
        let id: Int64
        let name: String
        let from: Int
        var at: Int
    }

    private var todos: [Todo]
    private let why: String

    /// `nil` for other records, and if the changes lack the positions.
    ///
    /// - Parameter titles: titles of todos, which moves don't carry.
    init?(_ record: RecordMessage, _ changes: [Change]?, titles: [Int64: String] = [:]) {
        guard let id = RecordSentence.moved(by: [record]).first,
            let change = changes?.first(where: { $0.path == "todos.items" && $0.id == id && $0.kind == .move }),
            let from = change.from, let at = change.at
        else { return nil }
        todos = [Todo(id: id, name: "\(id)" + (titles[id].map { ": " + Visible.text($0) } ?? ""), from: from, at: at)]
        why = RecordSentence.why(record)
    }

    /// Adds the next record's move; fails if its reason differs.
    mutating func join(_ next: MovedTodos) -> Bool {
        guard let moved = next.todos.first, next.todos.count == 1, next.why == why else { return false }
        for index in todos.indices where todos[index].id != moved.id {
            todos[index].at = PathDiff.shifted(todos[index].at, from: moved.from, to: moved.at)
        }
        if let index = todos.firstIndex(where: { $0.id == moved.id }) {
            todos[index].at = moved.at
        } else {
            todos.append(moved)
        }
        return true
    }

    /// `moved 4: Call the bank and 3: Buy milk to the top`, `… to places 4–5`; todos that are not adjacent get individual
    /// positions.
    var text: String {
        let sorted = todos.sorted { $0.at < $1.at }
        guard let first = sorted.first, let last = sorted.last, first.id != last.id else {
            return "moved " + todos.map { "\($0.name) (place \($0.from + 1) → \($0.at + 1))" }.joined() + why
        }
        guard last.at - first.at == sorted.count - 1 else {
            return "moved " + ChangeSentence.listed(sorted.map { "\($0.name) (to place \($0.at + 1))" }) + why
        }
        let place = first.at == 0 ? " to the top" : " to places \(first.at + 1)–\(last.at + 1)"
        return "moved " + ChangeSentence.listed(sorted.map(\.name)) + place + why
    }
}

/// Positions of an element before and after a sequence of changes to its list; each change counts positions after the previous
/// one.
enum PathDiff {
    /// The change at an index; a move gets its positions before and after all changes.
    static func netMove(_ index: Int, of changes: [Change]) -> Change {
        var change = changes[index]
        guard change.kind == .move, let from = change.from, let at = change.at else { return change }
        let isSame = { (other: Change) in other.path == change.path }
        // Going back through a change, an insertion acts as a removal and vice versa.
        let before = changes[..<index].reversed().filter(isSame).reduce(from) { shifted($0, from: put($1), to: taken($1)) }
        let after = changes[(index + 1)...].filter(isSame).reduce(at) { shifted($0, from: taken($1), to: put($1)) }
        (change.from, change.at) = (before, after)
        return change
    }

    /// The position of an element after another was removed, inserted or moved.
    static func shifted(_ place: Int, from: Int?, to: Int?) -> Int {
        let rest = place - ((from ?? .max) < place ? 1 : 0)
        return rest + ((to ?? .max) <= rest ? 1 : 0)
    }

    private static func taken(_ change: Change) -> Int? {
        switch change.kind {
        case .move: change.from
        case .remove: change.at
        case .insert, .replace, .set: nil
        }
    }

    private static func put(_ change: Change) -> Int? {
        switch change.kind {
        case .insert, .move: change.at
        case .remove, .replace, .set: nil
        }
    }
}

import Chronicle
import TodoAPI

/// What moves of one step come to, told at once: where a todo stood only in between nobody saw.
struct MovedTodos {
    private struct Todo {
        let id: Int64
        let name: String
        // Places are counted from 0.
        let from: Int
        var at: Int
    }

    // Each once, in the order in which they were moved first.
    private var todos: [Todo]
    // Why the records are there, which is told of all at once.
    private let why: String

    /// What a record moved; `nil` of any other record, and where nothing tells from where to where.
    ///
    /// - Parameter titles: what todos are called, as no record of a move tells it.
    init?(_ record: RecordMessage, _ changes: [Change]?, titles: [Int64: String] = [:]) {
        guard let id = RecordSentence.moved(by: [record]).first,
            let change = changes?.first(where: { $0.path == "todos.items" && $0.id == id && $0.kind == .move }),
            let from = change.from, let at = change.at
        else { return nil }
        todos = [Todo(id: id, name: "\(id)" + (titles[id].map { ": " + Visible.text($0) } ?? ""), from: from, at: at)]
        why = RecordSentence.why(record)
    }

    /// Takes in what the record behind these moved; not where it is there for another reason.
    mutating func join(_ next: MovedTodos) -> Bool {
        guard let moved = next.todos.first, next.todos.count == 1, next.why == why else { return false }
        for index in todos.indices where todos[index].id != moved.id {
            todos[index].at = PathDiff.carried(todos[index].at, from: moved.from, to: moved.at)
        }
        if let index = todos.firstIndex(where: { $0.id == moved.id }) {
            todos[index].at = moved.at
        } else {
            todos.append(moved)
        }
        return true
    }

    /// `moved 4: Call the bank and 3: Buy milk to the top`, `… to places 4–5`, and of what does not stand together each with its place.
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

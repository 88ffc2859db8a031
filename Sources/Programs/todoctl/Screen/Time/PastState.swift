import Chronicle
import TodoAPI

/// The todos at a past moment, loaded once and then moved by diffs.
///
/// A diff starts at the current or the last requested moment. Skipped moments are never requested.
struct PastState {
    enum Question: Equatable {
        case whole(at: UInt64)
        case changes(from: UInt64, to: UInt64)

        var moment: UInt64 {
            switch self {
            case .whole(let moment), .changes(_, let moment): moment
            }
        }
    }

    /// With more changes than this and than half of the todos, loading all is faster.
    private static let changesMin = 1_000.0

    var todos = TodoList()
    /// The moment of `todos`; `nil` if none is loaded.
    private(set) var moment: UInt64?
    private(set) var asked: [Question] = []
    private var incoming = TodoList()
    private var changes: [Change] = []
    // Changes per record in the last diff. At least 1: the daemon caches no far moments, so diffing them takes longer than
    // loading one.
    private var changesPerRecord = 1.0 { didSet { changesPerRecord = max(changesPerRecord, 1) } }

    mutating func begin(_ todos: TodoList, at moment: UInt64) {
        (self.todos, self.moment, asked) = (todos, moment, [])
        self.todos.touchAll()
    }

    mutating func forget() { (asked, incoming, changes) = ([], TodoList(), []) }

    /// The request for a moment; `nil` if it is already loaded or requested.
    mutating func question(to wanted: UInt64) -> Question? {
        let here = asked.last?.moment ?? moment
        guard here != wanted else { return nil }
        let question: Question =
            here.map { here in
                let distance = Double(here > wanted ? here - wanted : wanted - here)
                let isMuch = distance * changesPerRecord > max(Self.changesMin, Double(todos.count) / 2)
                return isMuch ? .whole(at: wanted) : .changes(from: here, to: wanted)
            } ?? .whole(at: wanted)
        asked.append(question)
        return question
    }

    /// Takes a page of all todos.
    ///
    /// - Returns: whether the moment is complete.
    mutating func take(page: [Value], isLast: Bool) -> Bool {
        guard case .whole(let wanted)? = asked.first else { return false }
        if incoming.count == 0 { incoming.reserve(todos.count) }
        incoming.append(page)
        guard isLast else { return false }
        (todos, incoming) = (incoming, TodoList())
        todos.touchAll()
        moment = wanted
        asked.removeFirst()
        return true
    }

    /// Takes a part of a diff, applied when complete.
    ///
    /// - Returns: whether the moment is complete.
    mutating func take(changes more: [Change], isLast: Bool) -> Bool {
        guard case .changes(let from, let to)? = asked.first else { return false }
        changes += more
        guard isLast else { return false }
        for change in changes where change.path == "todos.items" { todos.apply(change) }
        changesPerRecord = Double(changes.count) / Double(max(from, to) - min(from, to))
        changes = []
        moment = to
        asked.removeFirst()
        return true
    }
}

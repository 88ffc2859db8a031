import Chronicle
import TodoAPI

/// The todos at a moment, read once and then led from moment to moment by what differs.
///
/// What differs is asked from the moment that is here, or from that which is on its way. What was wanted in between is never asked for.
struct PastState {
    /// What is to be asked of the daemon.
    enum Question: Equatable {
        /// All todos at a moment.
        case whole(at: UInt64)
        /// What differs between the moment that is here and another.
        case changes(from: UInt64, to: UInt64)

        /// The moment that it leads to.
        var moment: UInt64 {
            switch self {
            case .whole(let moment), .changes(_, let moment): moment
            }
        }
    }

    /// With more changes than this, and than half of all todos, reading all of them takes less.
    private static let changesMin = 1_000.0

    var todos = TodoList()
    /// The moment whose todos are here; `nil`: none.
    private(set) var moment: UInt64?
    /// What is on its way, in the order in which it comes.
    private(set) var asked: [Question] = []
    private var incoming = TodoList()
    private var changes: [Change] = []
    // How many changes a record made, of those that were read last.
    // No fewer than one: of far moments the daemon holds neither, and to compare them takes longer than to read one whole.
    private var changesPerRecord = 1.0 { didSet { changesPerRecord = max(changesPerRecord, 1) } }

    /// Begins with todos that are known at a moment: those of the present.
    mutating func begin(_ todos: TodoList, at moment: UInt64) {
        (self.todos, self.moment, asked) = (todos, moment, [])
        self.todos.touchAll()
    }

    /// Nothing is on its way any more, as when the daemon went away.
    mutating func forget() { (asked, incoming, changes) = ([], TodoList(), []) }

    /// What leads to a moment from the one that is here then; `nil` where it is that one.
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
    /// - Returns: whether the state is that of another moment now.
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

    /// Takes some of the changes; they are applied when all of them are there.
    ///
    /// - Returns: whether the state is that of another moment now.
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

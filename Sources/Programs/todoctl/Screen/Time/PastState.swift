import Reducing
import TodoAPI

/// The todos at a moment, read once and then led from moment to moment by what differs.
///
/// Only one moment is asked for at a time; the next one is that which is wanted when the answer is there. What was wanted in between is never
/// asked for.
struct PastState {
    /// What is to be asked of the daemon.
    enum Question: Equatable {
        /// All todos at a moment.
        case whole(at: UInt64)
        /// What differs between the moment that is here and another.
        case changes(from: UInt64, to: UInt64)
    }

    /// With more changes than this, and than half of all todos, reading all of them takes less.
    private static let changesMin = 1_000.0

    /// The todos.
    var todos = TodoList()
    /// The moment whose todos are here; `nil`: none.
    private(set) var moment: UInt64?
    /// What is on its way.
    private(set) var asked: Question?
    private var incoming = TodoList()
    private var changes: [Change] = []
    // How many changes a record made, of those that were read last.
    // No fewer than one: of far moments the daemon holds neither, and to compare them takes longer than to read one whole.
    private var changesPerRecord = 1.0 { didSet { changesPerRecord = max(changesPerRecord, 1) } }

    /// Begins with todos that are known at a moment: those of the present.
    mutating func begin(_ todos: TodoList, at moment: UInt64) {
        (self.todos, self.moment, asked) = (todos, moment, nil)
        self.todos.touchAll()
    }

    /// Nothing is on its way any more, as when the daemon went away.
    mutating func forget() { asked = nil }

    /// What leads to a moment; `nil` where it is here, or something is on its way.
    mutating func question(to wanted: UInt64) -> Question? {
        guard asked == nil, moment != wanted else { return nil }
        asked =
            moment.map { moment in
                let distance = Double(moment > wanted ? moment - wanted : wanted - moment)
                let isMuch = distance * changesPerRecord > max(Self.changesMin, Double(todos.count) / 2)
                return isMuch ? .whole(at: wanted) : .changes(from: moment, to: wanted)
            } ?? .whole(at: wanted)
        incoming = TodoList()
        changes = []
        return asked
    }

    /// Takes a page of all todos.
    ///
    /// - Returns: whether the state is that of another moment now.
    mutating func take(page: [Value], isLast: Bool) -> Bool {
        guard case .whole(let wanted)? = asked else { return false }
        incoming.append(page)
        guard isLast else { return false }
        (todos, incoming) = (incoming, TodoList())
        todos.touchAll()
        (moment, asked) = (wanted, nil)
        return true
    }

    /// Takes some of the changes; they are applied when all of them are there.
    ///
    /// - Returns: whether the state is that of another moment now.
    mutating func take(changes more: [Change], isLast: Bool) -> Bool {
        guard case .changes(let from, let to)? = asked else { return false }
        changes += more
        guard isLast else { return false }
        for change in changes where change.path == "todos.items" { todos.apply(change) }
        changesPerRecord = Double(changes.count) / Double(max(from, to) - min(from, to))
        changes = []
        (moment, asked) = (to, nil)
        return true
    }
}

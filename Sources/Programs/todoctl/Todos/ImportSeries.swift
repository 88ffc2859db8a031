import Dates
import TodoFormats

/// Of the todos of a list that took each other's place when they were done: which one goes on, and until when the others reached.
///
/// A file that knows nothing of that has the first of them open still.
struct ImportSeries {
    private var going: [Int64: Int64] = [:]
    private var reached: [Int64: Due] = [:]

    init(_ list: [Todo]) {
        let firsts = Set(list.lazy.map(\.series).filter { $0 != 0 })
        for todo in list where firsts.contains(todo.firstOfSeries) {
            let first = todo.firstOfSeries
            if todo.isDone {
                reached[first] = [reached[first], todo.due].compactMap { $0 }.max()
            } else if !todo.every.isEmpty || going[first] == nil {
                // One that lost its rule goes on as well, unless another has it.
                going[first] = todo.id
            }
        }
    }

    /// The one that goes on for a todo that is done.
    func successor(of todo: Todo) -> Int64? { todo.isDone ? going[todo.firstOfSeries] : nil }

    /// Whether another one of its series goes on in its place, with the rule.
    func goesOnElsewhere(_ todo: Todo) -> Bool { going[todo.firstOfSeries].map { $0 != todo.id } ?? false }

    /// Whether what a file says was done comes after all that was done here, and so means the one that goes on.
    func isAhead(_ incoming: ForeignTodo, of todo: Todo) -> Bool {
        guard incoming.isDone, let due = incoming.due, let last = reached[todo.firstOfSeries] else { return false }
        return due > last
    }

    /// Whether a file speaks of a time that is done with in a series that goes on with a todo.
    func isPast(_ incoming: ForeignTodo, in todo: Todo) -> Bool {
        guard !incoming.isDone, going[todo.firstOfSeries] == todo.id else { return false }
        guard let due = incoming.due else { return true }
        return reached[todo.firstOfSeries].map { due <= $0 } ?? false
    }
}

extension Todo {
    /// The id of the first of those that took each other's place, which it may be itself.
    fileprivate var firstOfSeries: Int64 { series == 0 ? id : series }
}

import Dates
import TodoFormats

/// The series of recurring todos: the current occurrence, and the dates of the earlier ones.
///
/// A file that does not contain the completions still has the first occurrence open.
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
                // A todo that lost its rule is current, unless another has it.
                going[first] = todo.id
            }
        }
    }

    func successor(of todo: Todo) -> Int64? { todo.isDone ? going[todo.firstOfSeries] : nil }

    func goesOnElsewhere(_ todo: Todo) -> Bool { going[todo.firstOfSeries].map { $0 != todo.id } ?? false }

    /// Whether a completion in the file is later than all completions here, so that it means the current occurrence.
    func isAhead(_ incoming: ForeignTodo, of todo: Todo) -> Bool {
        guard incoming.isDone, let due = incoming.due, let last = reached[todo.firstOfSeries] else { return false }
        return due > last
    }

    /// Whether the file refers to a past occurrence of the series.
    func isPast(_ incoming: ForeignTodo, in todo: Todo) -> Bool {
        guard !incoming.isDone, going[todo.firstOfSeries] == todo.id else { return false }
        guard let due = incoming.due else { return true }
        return reached[todo.firstOfSeries].map { due <= $0 } ?? false
    }
}

extension Todo {
    /// The id of the first occurrence, which may be the todo itself.
    fileprivate var firstOfSeries: Int64 { series == 0 ? id : series }
}

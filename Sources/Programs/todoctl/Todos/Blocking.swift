import ArgumentParser

/// Which todos are to be done before others, and are not yet.
struct Blocking: Equatable {
    /// Those that open todos come after, whether they are open, done or gone.
    var named: Set<Int64> = []
    /// Those of them that are open.
    var open: Set<Int64> = []

    /// What has to be done before a todo that is open.
    func blockers(of todo: Todo) -> [Int64] { todo.isDone ? [] : todo.after.filter(open.contains) }

    /// Whether something that is open comes after a todo that is open.
    func isBlocker(_ todo: Todo) -> Bool { open.contains(todo.id) }

    /// The ids of those that are open; with them ids that nothing comes after, where that makes one range of several.
    var ranges: [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        var isNew = true
        for id in named.sorted() {
            let isOpen = open.contains(id)
            if isOpen, isNew { ranges.append(id...id) }
            if isOpen, !isNew, let last = ranges.popLast() { ranges.append(last.lowerBound...id) }
            isNew = !isOpen
        }
        return ranges
    }
}

/// Ids of todos, as one word: `12`, `12,13`.
struct TodoIDs: ExpressibleByArgument, Equatable {
    var ids: [Int64]

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        ids = parts.compactMap { Int64($0) }.filter { $0 > 0 }
        guard ids.count == parts.count else { return nil }
    }
}

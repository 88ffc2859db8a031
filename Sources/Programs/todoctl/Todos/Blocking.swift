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

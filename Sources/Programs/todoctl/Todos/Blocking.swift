import ArgumentParser

/// The todos that open todos wait for.
struct Blocking: Equatable {
    /// All todos that open todos come after, whether they are open, done or removed.
    var named: Set<Int64> = []
    /// The open ones of those.
    var open: Set<Int64> = []

    /// The open todos that must be done before an open todo.
    func blockers(of todo: Todo) -> [Int64] { todo.isDone ? [] : todo.after.filter(open.contains) }

    /// Whether another open todo waits for this open todo.
    func isBlocker(_ todo: Todo) -> Bool { open.contains(todo.id) }
}

/// Ids as one word: `12`, `12,13`.
struct TodoIDs: ExpressibleByArgument, Equatable {
    var ids: [Int64]

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        ids = parts.compactMap { Int64($0) }.filter { $0 > 0 }
        guard ids.count == parts.count else { return nil }
    }
}

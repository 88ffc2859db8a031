import ArgumentParser
import Chronicle
import TodoAPI
import TodoClient
import Varlink

/// The todos that open todos wait for.
struct Blocking: Equatable {
    /// All todos that open todos come after, whether they are open, done or removed.
    var named: Set<Int64> = []
    /// The open ones among them.
    var open: Set<Int64> = []

    /// The open todos that must be done before an open todo.
    func blockers(of todo: Todo) -> [Int64] { todo.isDone ? [] : todo.after.filter(open.contains) }

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

extension Session {
    /// The todos that block others; conditions of the daemon can't express this.
    func blocking(at point: Point? = nil) throws(Failure) -> Blocking {
        let (links, _) = try elements(
            .init(scope: "todos.items", at: point, where: "not completed and count(after) > 0"), { Todo($0)?.after })
        let named = Set(links.joined())
        guard named.count > Self.askedAtOnceMax, let least = named.min(), let most = named.max() else {
            let open = try known(named, at: point).values.filter { !$0.isDone }
            return Blocking(named: named, open: Set(open.map(\.id)))
        }
        // Reading the list once is cheaper than thousands of queries.
        let condition = Clause([Clause("not completed"), FilterTerm.clause([least...most])], .and).text
        let (open, _) = try elements(.init(scope: "todos.items", at: point, where: condition), { $0["id"]?.int })
        return Blocking(named: named, open: named.intersection(open))
    }

    func known(_ ids: Set<Int64>, at point: Point? = nil) throws(Failure) -> [Int64: Todo] {
        var rest = ids.sorted()[...]
        var known: [Int64: Todo] = [:]
        try client.exchange(
            window: Self.askedAtOnceMax,
            next: {
                rest.popFirst().map { id in
                    PendingCall(frame: GetStateMethod.frame(.init(scope: "todos.items", at: point, id: id)), subject: id)
                }
            },
            take: { outcome, id throws(Failure) in
                do throws(Failure) {
                    let page = try Answer<GetStateMethod>(try outcome.get(), from: client.socket).output()
                    known[id] = page.todos.first.flatMap(Todo.init)
                } catch {
                    guard error.isUnknownID else { throw error }
                }
                return nil
            })
        return known
    }

    // Maximum number of pipelined queries, half the limit of a connection.
    private static let askedAtOnceMax = 32
}

extension Client {
    func titles(of ids: [Int64], at point: Point? = nil) throws(Failure) -> [Int64: String] {
        var (titles, rest): ([Int64: String], ArraySlice<Int64>) = ([:], Set(ids).sorted()[...])
        while !rest.isEmpty {
            let condition = FilterTerm.clause(rest.prefix(Self.titlesAtOnceMax).map { $0...$0 }).text
            rest = rest.dropFirst(Self.titlesAtOnceMax)
            try stream(GetStateMethod.self, .init(scope: "todos.items", at: point, where: condition)) { answer throws(Failure) in
                for todo in try answer.output().todos.compactMap(Todo.init) { titles[todo.id] = todo.title }
                return .more
            }
        }
        return titles
    }

    // Limited by the size of a condition.
    private static let titlesAtOnceMax = 100
}

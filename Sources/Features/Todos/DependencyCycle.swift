import Chronicle

/// A cycle of dependencies: each todo comes after the next, and the last one after the first.
///
/// Only commands are refused because of a cycle. An undo or a merge may restore one, so code that follows `after` must expect cycles.
struct DependencyCycle: Equatable {
    /// The IDs of the cycle; the first one is repeated at the end.
    let ids: [UInt64]

    private static let namedMax = 10

    /// Maximum number of dependencies to follow for this number of changed todos; a longer cycle is not detected.
    static func linksMax(of todos: Int) -> Int { 512 * min(todos, 128) }

    /// Returns the shortest cycle that would result if a todo came after others; follows at most `links` dependencies.
    static func closed(by others: [UInt64], of id: UInt64, in state: Todos.State, links: inout Int) -> DependencyCycle? {
        var waiting: [(id: UInt64, previous: Int?)] = others.map { ($0, nil) }
        var seen = Set(others)
        var next = 0
        while next < waiting.count {
            for before in state.items.read(waiting[next].id, { $0.after }) ?? [] {
                if before == id { return DependencyCycle(ids: [id] + path(to: next, of: waiting) + [id]) }
                links -= 1
                guard links > 0 else { return nil }
                if seen.insert(before).inserted { waiting.append((before, next)) }
            }
            next += 1
        }
        return nil
    }

    private static func path(to last: Int, of waiting: [(id: UInt64, previous: Int?)]) -> [UInt64] {
        var (path, next) = ([UInt64](), Optional(last))
        while let index = next {
            path.append(waiting[index].id)
            next = waiting[index].previous
        }
        return path.reversed()
    }

    var sentence: String {
        let named = ids.count <= Self.namedMax ? ids.map { String($0) } : ids.prefix(Self.namedMax - 1).map { String($0) } + ["…"]
        return "these would wait for each other: " + named.joined(separator: " after ")
    }
}

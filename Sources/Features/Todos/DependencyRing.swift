import Fields

/// Todos that would wait for each other: each comes after the next, and the last one after the first.
///
/// Only what a person says is refused because of one. An undo and a merge bring back what there was, so whoever follows `after` from
/// todo to todo may come round.
struct DependencyRing: Equatable {
    /// The ids, the first of them again at the end.
    let ids: [UInt64]

    private static let namedMax = 10

    /// Links between todos that are followed at most where so many of them are said to come after others; a ring behind more is not found.
    static func linksMax(of todos: Int) -> Int { 512 * min(todos, 128) }

    /// The shortest ring that there would be if a todo came after others.
    ///
    /// - Parameter links: how many may still be followed.
    static func closed(
        by others: [UInt64], of id: UInt64, in state: Todos.State, links: inout Int
    ) -> DependencyRing? {
        var waiting: [(id: UInt64, behind: Int?)] = others.map { ($0, nil) }
        var seen = Set(others)
        var next = 0
        while next < waiting.count {
            for before in state.items.read(waiting[next].id, { $0.after }) ?? [] {
                if before == id { return DependencyRing(ids: [id] + path(to: next, of: waiting) + [id]) }
                links -= 1
                guard links > 0 else { return nil }
                if seen.insert(before).inserted { waiting.append((before, next)) }
            }
            next += 1
        }
        return nil
    }

    private static func path(to last: Int, of waiting: [(id: UInt64, behind: Int?)]) -> [UInt64] {
        var (path, place) = ([UInt64](), Optional(last))
        while let index = place {
            path.append(waiting[index].id)
            place = waiting[index].behind
        }
        return path.reversed()
    }

    /// `these would wait for each other: 1 after 2 after 3 after 1`.
    var sentence: String {
        let named = ids.count <= Self.namedMax ? ids.map { String($0) } : ids.prefix(Self.namedMax - 1).map { String($0) } + ["…"]
        return "these would wait for each other: " + named.joined(separator: " after ")
    }
}

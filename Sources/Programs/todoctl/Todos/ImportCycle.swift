import TodoFormats

/// A dependency cycle after an import.
///
/// The daemon refuses a cycle only after the new todos were added, so cycles are detected before the dispatch.
struct ImportCycle: Equatable {
    /// The todos of the cycle, the first repeated at the end: `line 3` of the file, or `todo 12` of the list.
    let places: [String]

    private static let namedMax = 10

    /// A cycle through a dependency that the import changes, if any.
    ///
    /// Existing cycles that the import does not change are allowed.
    init?(_ plan: ImportPlan) {
        let graph = Graph(plan)
        guard let cycle = Self.cycle(in: graph) else { return nil }
        places = cycle.map { node in graph.lines[node].map { "line \($0)" } ?? "todo \(node)" }
    }

    private static func cycle(in graph: Graph) -> [Int64]? {
        let core = core(of: graph.links)
        for node in graph.linked where core[node] != nil {
            if let cycle = cycle(through: node, in: core) { return cycle }
        }
        return nil
    }

    var sentence: String {
        let named = places.count <= Self.namedMax ? places : Array(places.prefix(Self.namedMax - 1)) + ["…"]
        return "these would wait for each other: " + named.joined(separator: " after ")
    }

    /// The dependencies after the import; new todos have negative numbers.
    private struct Graph {
        private(set) var links: [Int64: [Int64]] = [:]
        private(set) var linked: [Int64] = []
        private(set) var lines: [Int64: Int] = [:]

        init(_ plan: ImportPlan) {
            for todo in plan.todos.values { links[todo.id] = todo.after }
            var new: [String: Int64] = [:]
            for (index, todo) in plan.added.enumerated() { if let name = todo.source { new[name] = Self.node(index) } }
            func link(_ node: Int64, _ names: [String], line: Int) {
                lines[node] = line
                links[node] = names.compactMap { new[$0] ?? plan.names.id(named: $0) }.filter { $0 != node }
                linked.append(node)
            }
            for (index, todo) in plan.added.enumerated() { link(Self.node(index), todo.after, line: todo.line) }
            for change in plan.changed { if let after = change.after { link(change.todo.id, after, line: change.line) } }
        }

        private static func node(_ index: Int) -> Int64 { -1 - Int64(index) }
    }

    /// The nodes of cycles, and those between two cycles.
    private static func core(of links: [Int64: [Int64]]) -> [Int64: [Int64]] {
        reversed(waiting(in: reversed(waiting(in: links))))
    }

    private static func reversed(_ links: [Int64: [Int64]]) -> [Int64: [Int64]] {
        var reversed: [Int64: [Int64]] = [:]
        for (node, others) in links { for other in others { reversed[other, default: []].append(node) } }
        return reversed
    }

    /// Removes the nodes that can be done in some order.
    private static func waiting(in links: [Int64: [Int64]]) -> [Int64: [Int64]] {
        let dependents = reversed(links)
        var open = links.mapValues(\.count)
        var done = Set(dependents.keys).union(links.keys).filter { open[$0, default: 0] == 0 }
        var next = Array(done)
        while let node = next.popLast() {
            for dependent in dependents[node] ?? [] {
                let count = open[dependent, default: 0] - 1
                open[dependent] = count
                if count == 0, done.insert(dependent).inserted { next.append(dependent) }
            }
        }
        return links.filter { !done.contains($0.key) }.mapValues { others in others.filter { !done.contains($0) } }
    }

    private static func cycle(through start: Int64, in links: [Int64: [Int64]]) -> [Int64]? {
        var before: [Int64: Int64] = [:]
        var met = [start]
        var next = 0
        while next < met.count {
            let node = met[next]
            next += 1
            for other in links[node] ?? [] {
                if other == start { return path(to: node, from: start, before) + [start] }
                if before[other] == nil {
                    before[other] = node
                    met.append(other)
                }
            }
        }
        return nil
    }

    private static func path(to last: Int64, from start: Int64, _ before: [Int64: Int64]) -> [Int64] {
        var path = [last]
        while let node = path.last, node != start, let previous = before[node] { path.append(previous) }
        return path.reversed()
    }
}

import TodoAPI

/// What ten conditions that every state must meet cost a dispatch over a long list, in the daemon's processor time.
struct InvariantPart {
    let setup: Setup

    /// Each kind that is followed: one field, counts, and loops over all todos that read one field or several.
    private static let conditions = [
        "counter.count >= 0", "count(todos.items) <= 1000000", "count(todo in todos.items: todo.completed == null) <= 1000000",
        #"all(todo in todos.items: todo.title != "")"#, #"not any(todo in todos.items: todo.title == "Buy the moon")"#,
        "all(todo in todos.items: todo.priority <= 3)",
        "all(todo in todos.items: todo.completed == null or todo.completed >= todo.created)",
        "all(todo in todos.items: count(todo.tags) <= 32)", "count(todo in todos.items: todo.priority == 3) <= 1000",
        #"all(todo in todos.items: not contains(todo.title, "secret"))"#,
    ]

    func run() throws(BenchmarkError) -> Findings {
        let sizes = setup.sizes
        let folders = (plain: try setup.folder.make("plain"), bound: try setup.folder.make("bound"))
        defer {
            setup.folder.remove(folders.plain)
            setup.folder.remove(folders.bound)
        }
        let daemons = (plain: try Daemon(setup, data: folders.plain), bound: try Daemon(setup, data: folders.bound))
        var lists = (plain: TodoList(), bound: TodoList())
        try lists.plain.add(sizes.memoryTodos, to: daemons.plain.socket)
        try lists.bound.add(sizes.memoryTodos, to: daemons.bound.socket)
        let client = try daemons.bound.client()
        for (index, condition) in Self.conditions.enumerated() {
            try client.call(SetInvariantMethod.self, .init(name: "condition-\(index)", expression: condition))
        }

        Progress.say("  dispatches")
        var (plain, bound): ([Double], [Double]) = ([], [])
        // The difference is a tenth of either, and each of them sways by more than that: so many more rounds, and each compared with its own.
        for _ in 0..<5 * sizes.dispatchRounds {
            plain.append(try dispatch(&lists.plain, to: daemons.plain))
            bound.append(try dispatch(&lists.bound, to: daemons.bound))
        }
        try daemons.plain.stop()
        try daemons.bound.stop()

        var findings = Findings()
        findings.add("processor time of a dispatch over \(sizes.memoryTodos) todos", Figure.median(plain), "us")
        findings.add("with ten invariants", Figure.median(bound), "us")
        findings.add("ten invariants, us a dispatch", Figure.median(zip(bound, plain).map { $0 - $1 }), .atMost(2))
        return findings
    }

    /// Dispatches of every kind, one action each; gives the daemon's processor time of one, in microseconds.
    private func dispatch(_ list: inout TodoList, to daemon: Daemon) throws(BenchmarkError) -> Double {
        let start = daemon.processorTime()
        try list.live(setup.sizes.boundDispatches, on: daemon.socket)
        return (daemon.processorTime() - start) / Double(setup.sizes.boundDispatches) * 1e6
    }
}

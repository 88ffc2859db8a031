import Chronicle
import FeatureApp
import FeaturePosts
import FeatureTodos

/// Costs and savings of the persistent state: each reducer compared with a plain implementation, and the cost of a dispatch.
struct ReducePart {
    let setup: Setup

    func run() throws(BenchmarkError) -> Findings {
        var findings = Findings()
        edit(&findings)
        append(&findings)
        try dispatch(&findings)
        return findings
    }

    /// An edit of one todo among many, while the state before it is retained, as by a subscriber.
    private func edit(_ findings: inout Findings) {
        let count = setup.sizes.memoryTodos
        let todos = (1...UInt64(count)).map { Todo(id: $0, title: "Buy the milk, number \($0)") }
        let context = Context(time: 1_795_176_000_000_000, origin: 1000)
        let rounds = setup.sizes.editRounds * setup.sizes.editsPerRound

        func edits(_ apply: (UInt64) -> Void) -> Double {
            let clock = ContinuousClock()
            let time = clock.measure { for round in 0..<UInt64(rounds) { apply(round * 7919 % UInt64(count) + 1) } }
            return time / .nanoseconds(1) / Double(rounds)
        }
        var state = App.State(todos: .init(items: todos))
        let alone = edits { _ = App.reduce(&state, .todos(.edit($0, .init(title: "Buy bread"))), context) }
        var held = state
        let shared = edits {
            held = state
            _ = App.reduce(&state, .todos(.edit($0, .init(title: "Buy rolls"))), context)
        }
        var plain = todos
        var heldPlain = plain
        let copied = edits {
            heldPlain = plain
            plain[Int($0) - 1].title = "Buy rolls"
        }
        precondition(held.todos.items.count == heldPlain.count)
        findings.add("an edit among \(count) todos, in place", alone, "ns")
        findings.add("the same, the state before it held by a reader", shared, "ns")
        findings.add("the same, by a copy of an array", copied, "ns")
        findings.add("in place / by a copy, \(count) todos", alone / copied, .atMost(0.1))
    }

    /// Appends a page of posts to a full list that contains half of them.
    private func append(_ findings: inout Findings) {
        let context = Context(time: 1_795_176_000_000_000, origin: 1000)
        let count = Posts.Limits.postsMax - 100
        func posts(_ range: Range<Int>) -> [Post] {
            range.map { Post(id: UInt64($0), key: "https://example.org/posts/\($0)", title: "Post \($0)") }
        }
        let (listed, page) = (posts(1..<count), posts(count - 20..<count + 20))
        let before = Posts.State(items: listed)
        let clock = ContinuousClock()
        var times: (set: [Double], array: [Double]) = ([], [])
        for _ in 0..<setup.sizes.editRounds {
            var state = before
            times.set.append(clock.measure { _ = Posts.reduce(&state, .append(page, nextPage: 2), context) } / .microseconds(1))
            var array = listed
            let time = clock.measure {
                for post in page where !array.contains(where: { $0.key.utf8.elementsEqual(post.key.utf8) }) { array.append(post) }
            }
            times.array.append(time / .microseconds(1))
            precondition(array.count == state.items.count)
        }
        findings.add("a page of 40 posts behind \(count - 1), ordered set", Figure.median(times.set), "us")
        findings.add("the same, an array that is searched", Figure.median(times.array), "us")
        findings.add("ordered set / array, \(count - 1) posts", Figure.median(times.set) / Figure.median(times.array), .atMost(1))
    }

    /// The cost of the log: the time of a dispatch, and the growth of the daemon's memory after many.
    private func dispatch(_ findings: inout Findings) throws(BenchmarkError) {
        let data = try setup.folder.make("reduce")
        defer { setup.folder.remove(data) }
        let daemon = try Daemon(setup, data: data)
        var increments = ActionTexts()
        increments.append(ActionTexts.increment)
        let alone = try Load(connections: 1, nanoseconds: setup.sizes.turn).run(increments, on: daemon.socket)
        var latencies = Latencies()
        latencies.add(alone.latencies)
        findings.add("a durable dispatch, one connection, p50", latencies.percentile(50), "us")
        findings.add("a durable dispatch, one connection, p99", latencies.percentile(99), "us")
        for name in ["VmRSS", "RssAnon"] {
            let before = try daemon.memory(name)
            _ = try Load(connections: 16, pipelined: 16, calls: 100_000).run(increments, on: daemon.socket, latenciesMax: 0)
            let growth = (try daemon.memory(name) - before) * 1e6
            findings.add("\(name == "VmRSS" ? "resident" : "anonymous") bytes, growth by 100,000 actions", growth, "B")
        }
        try daemon.stop()
    }
}

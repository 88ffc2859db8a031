import Foundation
import TodoAPI

/// A durable edit in a short and in a long list, with and without a reader that keeps the state before it.
struct EditPart {
    let setup: Setup

    func run() throws(BenchmarkError) -> Findings {
        let sizes = setup.sizes
        let folders = (short: try setup.folder.make("short-list"), long: try setup.folder.make("long-list"))
        defer {
            setup.folder.remove(folders.short)
            setup.folder.remove(folders.long)
        }
        let short = try Daemon(setup, data: folders.short), long = try Daemon(setup, data: folders.long)
        var shortList = TodoList(), longList = TodoList()
        try shortList.add(sizes.shortList, to: short.socket)
        try longList.add(sizes.longList, to: long.socket)
        // Both settle before the first turn: freed memory, written pages.
        usleep(1_000_000)

        Progress.say("  edits")
        var alone = (short: Latencies(), long: Latencies()), beside = (short: Latencies(), long: Latencies())
        for _ in 0..<sizes.editRounds {
            alone.short.add(try edits(sizes.shortList, short.socket))
            alone.long.add(try edits(sizes.longList, long.socket))
            beside.short.add(try editsBesideReader(sizes.shortList, short))
            beside.long.add(try editsBesideReader(sizes.longList, long))
        }
        try short.stop()
        try long.stop()

        var findings = Findings()
        for (name, kind) in [("edit", alone), ("edit beside a reader", beside)] {
            findings.add("\(name), \(sizes.shortList) todos, p50", kind.short.percentile(50), "us")
            findings.add("\(name), \(sizes.longList) todos, p50", kind.long.percentile(50), "us")
            findings.add("\(name), \(sizes.longList) todos, p99", kind.long.percentile(99), "us")
        }
        for (name, kind) in [("edit", alone), ("edit beside a reader", beside)] {
            findings.add(
                "\(name), p50 with \(sizes.longList) / with \(sizes.shortList) todos",
                kind.long.percentile(50) / kind.short.percentile(50), .atMost(2))
        }
        return findings
    }

    /// Edits all over the list, so that each one meets parts that the reader's state still shares.
    private func edits(_ todos: Int, _ socket: String) throws(BenchmarkError) -> [UInt64] {
        var texts = ActionTexts()
        for _ in 0..<setup.sizes.editsPerRound {
            let id = Int.random(in: 1...todos)
            texts.append(ActionTexts.edit(id, title: "Buy \(Int.random(in: 0..<1_000_000)) bottles"))
        }
        return try Load(calls: setup.sizes.editsPerRound).run(texts, on: socket).latencies
    }

    private func editsBesideReader(_ todos: Int, _ daemon: Daemon) throws(BenchmarkError) -> [UInt64] {
        let reader = try daemon.client()
        // Even the short list's answers, 32 times, are more than the socket and the daemon's buffer for it take,
        // so the daemon stands in the middle of one, with its state, until the reader goes on. It doesn't.
        for _ in 0..<32 { try reader.send(GetStateMethod.self, .init()) }
        try reader.skip()
        usleep(100_000)
        let latencies = try edits(todos, daemon.socket)
        withExtendedLifetime(reader) {}
        return latencies
    }
}

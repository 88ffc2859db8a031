import Foundation

/// What an idle daemon takes: on an empty log, and with a long list.
struct MemoryPart {
    let setup: Setup

    func run() throws(BenchmarkError) -> Findings {
        let todos = setup.sizes.memoryTodos
        let data = try setup.folder.make("memory")
        defer { setup.folder.remove(data) }
        var findings = Findings()

        let first = try Daemon(setup, data: data)
        usleep(1_000_000)
        let resident = try first.memory("VmRSS"), idle = try first.memory("RssAnon")
        findings.add("resident, empty log, idle", resident, "MB")
        findings.add("anonymous, empty log, idle", idle, "MB")

        var list = TodoList()
        try list.add(todos, to: first.socket)
        usleep(1_000_000)
        let filled = try first.memory("RssAnon")
        findings.add("anonymous, \(todos) todos, just added", filled, "MB")

        var increments = ActionTexts()
        increments.append(ActionTexts.increment)
        _ = try Load(connections: 16, pipelined: 16, calls: 100_000).run(increments, on: first.socket, latenciesMax: 0)
        usleep(1_000_000)
        findings.add("anonymous, growth by 100,000 further actions", try first.memory("RssAnon") - filled, "MB")
        findings.add("resident, after them", try first.memory("VmRSS"), "MB")
        try first.stop()

        let second = try Daemon(setup, data: data)
        usleep(1_000_000)
        let restarted = try second.memory("RssAnon")
        findings.add("anonymous, \(todos) todos, after a restart", restarted, "MB")
        findings.add("bytes a todo, after a restart", (restarted - idle) * 1e6 / Double(todos), "B")
        try second.stop()
        findings.add("resident, empty log, idle, MB", resident, .atMost(25))
        return findings
    }
}

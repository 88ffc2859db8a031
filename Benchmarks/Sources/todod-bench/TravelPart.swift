import CLoad
import Foundation
import TodoAPI

/// A large history over a short list, and what it costs to start on it and to look into it.
struct TravelPart {
    let setup: Setup

    func run() throws(BenchmarkError) -> Findings {
        let sizes = setup.sizes
        var findings = Findings()
        let data = try history(findings: &findings)
        defer { if setup.history == nil { setup.folder.remove(data) } }

        Progress.say("  starts")
        var starts: [Double] = []
        for _ in 0..<sizes.starts {
            let daemon = try Daemon(setup, data: data)
            starts.append(daemon.startTime)
            try daemon.stop()
        }
        let daemon = try Daemon(setup, data: data)
        let records = Int(try daemon.client().sequence())
        findings.add("records", Double(records), "")
        findings.add("start, ms", Figure.median(starts), .atMost(1000))

        Progress.say("  reads")
        try read(daemon, records, findings: &findings)
        findings.add("anonymous, after these reads, MB", try daemon.memory("RssAnon"), .atMost(100))

        Progress.say("  searches")
        try search(daemon, records, findings: &findings)
        findings.add("anonymous, after these searches, MB", try daemon.memory("RssAnon"), .atMost(100))

        Progress.say("  a writer, and searches beside it")
        try write(daemon, findings: &findings)
        findings.add("anonymous, at the end, MB", try daemon.memory("RssAnon"), "MB")
        try daemon.stop()
        return findings
    }

    // MARK: - The history

    /// The history: the one that is kept, or a new one.
    private func history(findings: inout Findings) throws(BenchmarkError) -> URL {
        let sizes = setup.sizes
        let history = PastLog(setup: setup, todos: sizes.travelTodos, actions: sizes.travelLog, batch: sizes.travelBatch)
        guard let kept = setup.history else {
            let data = try setup.folder.make("travel")
            try fill(data, with: history, findings: &findings)
            return data
        }
        let data = URL(filePath: kept)
        if !FileManager.default.fileExists(atPath: data.appending(path: "data.mdb").path) {
            do {
                try FileManager.default.createDirectory(
                    at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw BenchmarkError("cannot make \(data.path): \(error)")
            }
            try fill(data, with: history, findings: &findings)
        } else {
            try history.settle(data)
        }
        let (log, snapshots, places) = history.bytes(of: data)
        findings.add("the log", log / 1e6, "MB")
        findings.add("snapshots all along it", snapshots / 1e6, "MB")
        findings.add("which places each record touched", places / 1e6, "MB")
        return data
    }

    private func fill(_ data: URL, with history: PastLog, findings: inout Findings) throws(BenchmarkError) {
        let perSecond = try history.fill(data)
        findings.add("history over \(history.todos) todos, \(history.batch) actions at once", perSecond, "actions/s")
    }

    // MARK: - Looking into it

    private func read(_ daemon: Daemon, _ records: Int, findings: inout Findings) throws(BenchmarkError) {
        let client = try daemon.client()
        var dice = SystemRandomNumberGenerator()
        var (parts, wholes, logs, newest): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        for _ in 0..<setup.sizes.pastReads {
            let part = UInt64.random(in: 1...UInt64(records), using: &dice)
            parts.append(
                try time { () throws(BenchmarkError) in
                    try client.call(GetStateMethod.self, .init(scope: "todos.nextID", at: Point(sequence: part)))
                })
            let whole = UInt64.random(in: 1...UInt64(records), using: &dice)
            wholes.append(
                try time { () throws(BenchmarkError) in
                    try client.last(GetStateMethod.self, .init(at: Point(sequence: whole)))
                })
            let first = Int.random(in: 1...max(1, records - 50), using: &dice)
            logs.append(try time { () throws(BenchmarkError) in try readLog(client, from: first) })
            newest.append(try time { () throws(BenchmarkError) in try readLog(client, from: records - 49) })
        }
        findings.add("a field of the state at a random record, ms", Figure.median(parts), .atMost(50))
        findings.add("the whole state at a random record, ms", Figure.median(wholes), .atMost(50))
        findings.add("slowest of \(parts.count + wholes.count) states, ms", (parts + wholes).max() ?? .nan, "ms")
        findings.add("50 records anywhere, ms", Figure.median(logs), .atMost(50))
        findings.add("the newest 50 records, ms", Figure.median(newest), .atMost(50))
        try touched(client, records, findings: &findings)
    }

    /// The newest 50 records that touched a todo: one of the beginning, which is long gone, and one that lives.
    private func touched(_ client: Client, _ records: Int, findings: inout Findings) throws(BenchmarkError) {
        for (name, first) in [("of the beginning", 1), ("that lives", records / 6)] {
            var times: [Double] = []
            for round in 0..<setup.sizes.pastReads {
                let path = "todos.items[\(first + round * 61 % setup.sizes.travelTodos)]"
                times.append(
                    try time { () throws(BenchmarkError) in
                        try client.stream(LogMethod.self, .init(limit: 50, reverse: true, path: path)) { _ in }
                    })
            }
            findings.add("50 records that touched a todo \(name), ms", Figure.median(times), .atMost(50))
        }
    }

    private func readLog(_ client: Client, from first: Int) throws(BenchmarkError) {
        var count = 0
        try client.stream(LogMethod.self, .init(from: Point(sequence: UInt64(first)), limit: 50)) { count += $0.records.count }
        guard count == 50 else { throw BenchmarkError("the log gave \(count) records instead of 50") }
    }

    private func search(_ daemon: Daemon, _ records: Int, findings: inout Findings) throws(BenchmarkError) {
        let client = try daemon.client()
        let ids = records / 6
        var times: [Double] = []
        for round in 1...setup.sizes.searches {
            let id = setup.sizes.travelTodos + ids * round / (setup.sizes.searches + 1)
            times.append(try bisect(client, "todos.nextID > \(id)"))
        }
        findings.add("bisect, a field, ms", Figure.median(times), .atMost(3000))
        findings.add("bisect, the slowest of \(times.count), ms", times.max() ?? .nan, .atMost(3000))
        let list = try bisect(client, #"any(todo in todos.items: todo.title == "Buy 120001 bottles of milk")"#)
        findings.add("bisect, every title, ms", list, .atMost(3000))
    }

    private func bisect(_ client: Client, _ expression: String) throws(BenchmarkError) -> Double {
        try time { () throws(BenchmarkError) in
            try client.last(ScanMethod.self, .init(question: .first, expression: expression, method: .halving))
        }
    }

    // MARK: - Beside a writer

    /// Turns of a lone writer, alone and beside two searches that look at each record and find nothing.
    private func write(_ daemon: Daemon, findings: inout Findings) throws(BenchmarkError) {
        var (alone, beside) = (Latencies(), Latencies())
        var (aloneCount, besideCount) = (0, 0)
        let load = Load(nanoseconds: setup.sizes.writerTurn)
        var texts = ActionTexts()
        texts.append(ActionTexts.increment)
        for _ in 0..<setup.sizes.writerRounds {
            let first = try load.run(texts, on: daemon.socket)
            alone.add(first.latencies)
            aloneCount += first.answered
            let searchers = [try daemon.client(), try daemon.client()]
            for searcher in searchers {
                try searcher.send(ScanMethod.self, .init(question: .first, expression: "todos.nextID < 0", method: .linear))
            }
            let second = try load.run(texts, on: daemon.socket)
            beside.add(second.latencies)
            besideCount += second.answered
            // They close, and their searches end with them.
            withExtendedLifetime(searchers) {}
        }
        let seconds = Double(setup.sizes.writerTurn) * Double(setup.sizes.writerRounds) / 1e9
        findings.add("a writer alone", Double(aloneCount) / seconds, "dispatches/s")
        findings.add("beside two searches", Double(besideCount) / seconds, "dispatches/s")
        for percentile in [50.0, 99.0] {
            findings.add("dispatch p\(Int(percentile)) alone", alone.percentile(percentile), "us")
            findings.add("dispatch p\(Int(percentile)) beside two searches", beside.percentile(percentile), "us")
        }
        findings.add(
            "dispatch p99 beside two searches, times that alone", beside.percentile(99) / alone.percentile(99), .atMost(2))
    }

    private func time<Result>(_ body: () throws(BenchmarkError) -> Result) throws(BenchmarkError) -> Double {
        let start = cload_now()
        _ = try body()
        return Double(cload_now() - start) / 1e6
    }
}

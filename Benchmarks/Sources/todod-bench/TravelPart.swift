import CLoad
import Foundation

/// A large history over a short list, and what it costs to start on it and to look into it.
struct TravelPart {
    let setup: Setup

    func run() throws(BenchmarkError) -> Findings {
        let sizes = setup.sizes
        let data = try setup.folder.make("travel")
        defer { setup.folder.remove(data) }
        var findings = Findings()
        let records = try fill(data, findings: &findings)

        Progress.say("  starts")
        var starts: [Double] = []
        for _ in 0..<sizes.starts {
            let daemon = try Daemon(setup, data: data)
            starts.append(daemon.startTime)
            try daemon.stop()
        }
        findings.add("start with \(records) records, ms", Figure.median(starts), .atMost(1000))

        Progress.say("  reads")
        let daemon = try Daemon(setup, data: data)
        let client = try daemon.client()
        var logs: [Double] = []
        for round in 0..<sizes.pastReads {
            // Somewhere in the history, never twice at the same place.
            let first = 1 + records / sizes.pastReads * round
            logs.append(try time { () throws(BenchmarkError) in try readLog(client, from: first, limit: 50) })
        }
        findings.add("50 records of the log anywhere, ms", Figure.median(logs), .atMost(50))
        findings.add("anonymous, after these reads, MB", try daemon.memory("RssAnon"), .atMost(100))
        try daemon.stop()
        return findings
    }

    /// Makes the history, and says how many records it has.
    private func fill(_ data: URL, findings: inout Findings) throws(BenchmarkError) -> Int {
        let sizes = setup.sizes
        let daemon = try Daemon(setup, data: data)
        var list = TodoList()
        try list.add(sizes.travelTodos, to: daemon.socket)
        let start = cload_now()
        try list.live(sizes.travelLog, on: daemon.socket)
        let seconds = Double(cload_now() - start) / 1e9
        let records = try daemon.client().sequence()
        try daemon.stop()
        findings.add("history over \(sizes.travelTodos) todos", Double(sizes.travelLog) / seconds, "actions/s")
        let (log, snapshots) = bytes(of: data)
        findings.add("the log", log / 1e6, "MB")
        findings.add("snapshots all along it", snapshots / 1e6, "MB")
        return records
    }

    private func readLog(_ client: Client, from first: Int, limit: Int) throws(BenchmarkError) {
        try client.send("org.todod.History.Log", #"{"from":{"sequence":\#(first)},"limit":\#(limit)}"#, more: true)
        var count = 0
        while count < limit {
            guard let records = try client.reply()["records"] as? [Any], !records.isEmpty else { break }
            count += records.count
        }
        guard count == limit else { throw BenchmarkError("the log gave \(count) records instead of \(limit)") }
    }

    private func time(_ body: () throws(BenchmarkError) -> Void) throws(BenchmarkError) -> Double {
        let start = cload_now()
        try body()
        return Double(cload_now() - start) / 1e6
    }

    /// What the log takes on the disk, and what the snapshots for travellers do.
    private func bytes(of data: URL) -> (log: Double, snapshots: Double) {
        let names = FileManager.default.enumerator(atPath: data.path)?.compactMap { $0 as? String } ?? []
        var (log, snapshots) = (0.0, 0.0)
        for name in names {
            var status = stat()
            guard stat(data.appending(path: name).path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            let bytes = Double(status.st_blocks) * 512
            if name.hasPrefix("travel/") { snapshots += bytes } else { log += bytes }
        }
        return (log, snapshots)
    }
}

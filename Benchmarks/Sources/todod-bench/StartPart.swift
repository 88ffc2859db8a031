import Foundation

/// Start-up with a short and with a long log, and the replay of the long one.
struct StartPart {
    let setup: Setup

    func run() throws(BenchmarkError) -> Findings {
        let sizes = setup.sizes
        let short = try setup.folder.make("short-log"), long = try setup.folder.make("long-log")
        defer {
            setup.folder.remove(short)
            setup.folder.remove(long)
        }
        var findings = Findings()
        _ = try fill(short, sizes.shortLog)
        let records = try fill(long, sizes.longLog)

        Progress.say("  starts")
        var shortTimes: [Double] = [], longTimes: [Double] = []
        for _ in 0..<sizes.starts {
            shortTimes.append(try start(short).time)
            longTimes.append(try start(long).time)
        }
        let shortTime = Figure.median(shortTimes), longTime = Figure.median(longTimes)
        findings.add("start with \(sizes.shortLog) actions", shortTime, "ms")
        findings.add("start with \(sizes.longLog) actions", longTime, "ms")

        Progress.say("  replays")
        var replayTimes: [Double] = [], folds: [Double] = []
        for _ in 0..<sizes.replays {
            guard removeSnapshots(long) > 0 else { throw BenchmarkError("no snapshot files found in \(long.path)") }
            let (time, fold) = try start(long)
            replayTimes.append(time)
            if let fold { folds.append(fold) }
        }
        let replayTime = Figure.median(replayTimes)
        let byClock = Double(records) / max(replayTime - longTime, 0.001) * 1000
        findings.add("start without a snapshot, \(records) records", replayTime, "ms")
        findings.add("replay, by the difference of the starts", byClock, "records/s")
        if !folds.isEmpty { findings.add("replay, by todod's own clock", Figure.median(folds), "records/s") }
        findings.add("start, long log / short log", Figure.median(zip(longTimes, shortTimes).map { $0 / $1 }), .atMost(2))
        findings.add("replay, records/s", folds.isEmpty ? byClock : Figure.median(folds), .atLeast(1_000_000))
        return findings
    }

    /// Makes a log of that many actions over 1,000 live todos, and says how many records it has.
    private func fill(_ data: URL, _ actions: Int) throws(BenchmarkError) -> Int {
        let daemon = try Daemon(setup, data: data)
        var list = TodoList()
        try list.add(1000, to: daemon.socket)
        try list.live(actions, on: daemon.socket)
        let sequence = try daemon.client().sequence()
        try daemon.stop()
        return Int(sequence)
    }

    /// Starts and stops; the second figure is the daemon's own, in records a second.
    private func start(_ data: URL) throws(BenchmarkError) -> (time: Double, fold: Double?) {
        let daemon = try Daemon(setup, data: data)
        let time = daemon.startTime
        let client = try daemon.client()
        let seconds = try client.metric("todod_replay_seconds"), records = try client.metric("todod_replay_records")
        try daemon.stop()
        guard let seconds, let records, seconds > 0, records > 0 else { return (time, nil) }
        return (time, records / seconds)
    }

    private func removeSnapshots(_ data: URL) -> Int {
        let names = FileManager.default.enumerator(atPath: data.path)?.compactMap { $0 as? String } ?? []
        var removed = 0
        for name in names where name.lowercased().contains("snapshot") {
            var isFolder: ObjCBool = false
            let path = data.appending(path: name).path
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else { continue }
            if (try? FileManager.default.removeItem(atPath: path)) != nil { removed += 1 }
        }
        return removed
    }
}

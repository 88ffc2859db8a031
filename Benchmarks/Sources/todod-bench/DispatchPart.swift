import TodoAPI

/// Durable dispatches through the socket beside the plain C loop, in turns, with a table full of keys.
struct DispatchPart {
    let setup: Setup

    func run() throws(BenchmarkError) -> Findings {
        let sizes = setup.sizes
        let folders = (loop: try setup.folder.make("loop"), daemon: try setup.folder.make("dispatch"))
        defer {
            setup.folder.remove(folders.loop)
            setup.folder.remove(folders.daemon)
        }
        Progress.say("  \(sizes.keys) keys for the C loop")
        let loop = try PlainLoop(in: folders.loop, keys: sizes.keys)
        let daemon = try Daemon(setup, data: folders.daemon)
        var increments = ActionTexts()
        increments.append(ActionTexts.increment)
        var findings = Findings()
        let filling = try fill(increments, daemon.socket)
        findings.add("filling the table: 16 connections, 48 pipelined", filling, "dispatches/s")
        findings.add("bytes a record with its key, C loop", Double(loop.bytes) / Double(sizes.keys), "B")
        let bytes = try daemon.client().call(StatusMethod.self, NoFields()).logBytes
        findings.add("bytes a record with its key, todod", Double(bytes) / Double(sizes.keys), "B")

        let widths = [1, 16, 64]
        var loops = [Int: Turns](), daemons = [Int: Turns](), processor = [Int: [Double]]()
        for round in 1...sizes.dispatchRounds {
            Progress.say("  round \(round) of \(sizes.dispatchRounds)")
            for width in widths {
                loops[width, default: Turns()].add(try loop.run(batch: width, nanoseconds: sizes.turn))
                let before = daemon.processorTime()
                let result = try Load(connections: width, nanoseconds: sizes.turn).run(increments, on: daemon.socket)
                processor[width, default: []].append((daemon.processorTime() - before) * 1e6 / Double(result.answered))
                daemons[width, default: Turns()].add(result)
            }
        }
        try daemon.stop()
        for width in widths {
            guard let loop = loops[width], let daemon = daemons[width] else { continue }
            findings.add("C loop, batches of \(width)", Figure.median(loop.rates), "records/s")
            findings.add("C loop, batches of \(width), p50 of a commit", loop.latencies.percentile(50), "us")
            findings.add("todod, connections: \(width)", Figure.median(daemon.rates), "dispatches/s")
            findings.add("todod, connections: \(width), p50", daemon.latencies.percentile(50), "us")
            findings.add("todod, connections: \(width), p99", daemon.latencies.percentile(99), "us")
            findings.add("todod, connections: \(width), processor time", Figure.median(processor[width] ?? []), "us a dispatch")
            findings.add("todod / C loop, \(width)", Turns.quotient(daemon.rates, loop.rates), "")
        }
        if let loop = loops[64], let daemon = daemons[64] {
            findings.add(
                "64 connections / C loop with batches of 64", Turns.quotient(daemon.rates, loop.rates), .atLeast(0.35))
        }
        if let loop = loops[1], let daemon = daemons[1] {
            findings.add(
                "p50 of one connection / of a single C commit", Turns.quotient(daemon.medians, loop.medians), .atMost(2.5))
        }
        return findings
    }

    private func fill(_ increments: ActionTexts, _ socket: String) throws(BenchmarkError) -> Double {
        var rates: [Double] = []
        var left = setup.sizes.keys
        while left > 0 {
            let some = min(left, 100_000)
            rates.append(
                try Load(connections: 16, pipelined: 48, calls: some).run(increments, on: socket, latenciesMax: 0).perSecond)
            left -= some
            Progress.say("  \(setup.sizes.keys - left) keys for todod")
        }
        return Figure.median(rates)
    }
}

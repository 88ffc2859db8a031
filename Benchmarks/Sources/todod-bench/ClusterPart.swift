import CLoad
import Foundation

/// A log that three machines share: dispatches beside the bare transactions of its members, and how soon others go on.
struct ClusterPart {
    let setup: Setup

    func run() throws(BenchmarkError) -> Findings {
        var findings = Findings()
        if let missing = EtcdMembers.missing {
            Progress.say("  not measured: \(missing)")
            return findings
        }
        let cluster = try Cluster(setup)
        try dispatch(cluster, &findings)
        try fallBehind(cluster, &findings)
        try takeOver(cluster, &findings)
        try cluster.stop()
        return findings
    }

    // MARK: - Dispatches

    /// Dispatches on one machine and bare transactions, in turns.
    private func dispatch(_ cluster: Cluster, _ findings: inout Findings) throws(BenchmarkError) {
        let socket = cluster.daemons[0].socket
        var increments = ActionTexts()
        increments.append(ActionTexts.increment)
        let gateway = try cluster.gateway()
        let batches = try BatchBytes(increments, cluster, gateway)
        findings.add("bytes of a batch of 1", Double(batches.one), "B")
        findings.add("bytes of a batch of 64", Double(batches.bytes(of: 64)), "B")
        findings.add("dispatches in a batch, connections: 64", batches.dispatches, "")

        let bare = try BareTransactions(port: cluster.members.ports[0], headBytes: batches.head)
        let widths = [1, 64]
        var bares = [Int: Turns](), daemons = [Int: Turns](), others: [Double] = []
        for round in 1...setup.sizes.dispatchRounds {
            Progress.say("  round \(round) of \(setup.sizes.dispatchRounds)")
            for width in widths {
                bares[width, default: Turns()].add(
                    try bare.run(records: width, bytes: batches.bytes(of: width), nanoseconds: setup.sizes.turn))
                daemons[width, default: Turns()].add(
                    try Load(connections: width, nanoseconds: setup.sizes.turn).run(increments, on: socket))
                others.append(try time { () throws(BenchmarkError) in try cluster.level() })
            }
        }
        for width in widths {
            guard let bare = bares[width], let daemon = daemons[width] else { continue }
            findings.add("bare transactions, batches of \(width)", Figure.median(bare.rates), "records/s")
            findings.add("bare transactions, batches of \(width), p50", bare.latencies.percentile(50), "us")
            findings.add("bare transactions, batches of \(width), p99", bare.latencies.percentile(99), "us")
            findings.add("one of three, connections: \(width)", Figure.median(daemon.rates), "dispatches/s")
            findings.add("one of three, connections: \(width), p50", daemon.latencies.percentile(50), "us")
            findings.add("one of three, connections: \(width), p99", daemon.latencies.percentile(99), "us")
        }
        findings.add("the other two level after a turn, slowest of \(others.count)", (others.max() ?? .nan) * 1000, "ms")
        if let bare = bares[64], let daemon = daemons[64] {
            findings.add(
                "64 connections on one node of three / bare transactions of that batch size",
                Turns.quotient(daemon.rates, bare.rates), .atLeast(0.5))
        }
        if let bare = bares[1], let daemon = daemons[1] {
            findings.add(
                "p50 of one client / of a bare transaction", Turns.quotient(daemon.medians, bare.medians), .atMost(1.8))
        }
    }

    // MARK: - Those who were away

    /// A machine that was stopped while another wrote.
    private func fallBehind(_ cluster: Cluster, _ findings: inout Findings) throws(BenchmarkError) {
        let records = setup.sizes.clusterBehind
        let first = cluster.daemons[0]
        try cluster.daemons[2].stop()
        Progress.say("  \(records) records without the third")
        // So few batches stay with the members in any case: they keep the last 100,000.
        var list = TodoList()
        try list.add(1000, to: first.socket)
        let before = try first.client().sequence()
        var missed = 0
        let written = try time { () throws(BenchmarkError) in
            // Actions that change nothing, such as a move to where it is, have no record.
            while missed < records {
                try list.live(records - missed, batch: 500, on: first.socket)
                missed = Int(try first.client().sequence() - before)
            }
        }
        findings.add("written, 500 actions at once", Double(missed) / written, "records/s")
        let following = try time { () throws(BenchmarkError) in try cluster.level([0, 1]) }
        findings.add("the second level after that", following * 1000, "ms")

        Progress.say("  the third comes back")
        let seconds = try time { () throws(BenchmarkError) in
            try cluster.start(2)
            try cluster.level([0, 2])
        }
        findings.add("a node that comes back, its first answer", cluster.daemons[2].startTime, "ms")
        findings.add("a node that comes back", Double(missed) / seconds, "records/s")
        findings.add("a node \(Figure.text(Double(records))) records behind is level, s", seconds, .atMost(60))
    }

    // MARK: - Those who died

    /// The machine that runs the commands dies, again and again.
    private func takeOver(_ cluster: Cluster, _ findings: inout Findings) throws(BenchmarkError) {
        let gateway = try cluster.gateway()
        var times: [Double] = []
        for round in 1...setup.sizes.takeovers {
            Progress.say("  takeover \(round) of \(setup.sizes.takeovers)")
            let dead = try runner(gateway, otherThan: nil)
            times.append(
                try time { () throws(BenchmarkError) in
                    cluster.daemons[dead].end()
                    _ = try runner(gateway, otherThan: dead)
                })
            try cluster.start(dead)
            try cluster.level()
        }
        findings.add("takeover of commands, median", Figure.median(times), "s")
        // Of several the slowest.
        findings.add("takeover of commands, s", times.max() ?? .nan, .atMost(12))
    }

    /// Waits until a machine runs the commands that is not the one that died, at most two minutes.
    private func runner(_ gateway: EtcdGateway, otherThan dead: Int?) throws(BenchmarkError) -> Int {
        let start = cload_now()
        while cload_now() - start < 120_000_000_000 {
            if let runner = try Cluster.runner(gateway), runner != dead { return runner }
            usleep(5000)
        }
        throw BenchmarkError("no other machine ran the commands within two minutes")
    }

    /// In seconds.
    private func time(_ body: () throws(BenchmarkError) -> Void) throws(BenchmarkError) -> Double {
        let start = cload_now()
        try body()
        return Double(cload_now() - start) / 1e9
    }
}

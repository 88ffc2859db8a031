import CLoad
import Foundation

/// Many who follow one scope beside a writer at a fixed rate, and what connections cost that do little or nothing.
struct WatchPart {
    let setup: Setup

    private static let subscribe = #"{"method":"org.todod.Store.Subscribe","parameters":{"scope":"counter"},"more":true}"# + "\0"
    private static let follow = #"{"method":"org.todod.Store.Subscribe","parameters":{},"more":true}"# + "\0"
    private static let read = #"{"method":"org.todod.Store.GetState","parameters":{},"more":true}"# + "\0"
    static let write =
        #"{"method":"org.todod.Store.Dispatch","parameters":{"actions":[\#(ActionTexts.increment)]}}"# + "\0"
    private static let interval: UInt64 = 10_000_000
    private static let stalled = 2_000
    /// Memory is looked at when it has settled.
    private static let pause: UInt32 = 1_000_000

    func run() throws(BenchmarkError) -> Findings {
        let data = try setup.folder.make("watch")
        defer { setup.folder.remove(data) }
        guard cload_allow_descriptors(UInt32(max(setup.sizes.idleConnections, Self.stalled)) + 200) == 0 else {
            throw BenchmarkError("no more descriptors are allowed")
        }
        // Three quarters of them may subscribe.
        let connections = "\(2 * max(setup.sizes.idleConnections, 2 * Self.stalled))"
        let daemon = try Daemon(
            setup, data: data,
            environment: ["TODOD_CONNECTIONS_MAX": connections, "TODOD_CONNECTIONS_PER_USER_MAX": connections])
        var findings = Findings()
        try follow(daemon, &findings)
        try hold(daemon, &findings)
        try daemon.stop()
        let large = try setup.folder.make("stalled")
        defer { setup.folder.remove(large) }
        try stall(large, ["TODOD_CONNECTIONS_MAX": connections, "TODOD_CONNECTIONS_PER_USER_MAX": connections], &findings)
        return findings
    }

    private func follow(_ daemon: Daemon, _ findings: inout Findings) throws(BenchmarkError) {
        let sizes = setup.sizes
        var alone = Latencies(), beside = Latencies()
        var aloneTime = 0.0, besideTime = 0.0
        var quotients: [Double] = []
        var told = 0
        _ = try dispatch(daemon)
        for round in 1...sizes.watchRounds {
            Progress.say("  round \(round) of \(sizes.watchRounds)")
            let (first, firstTime) = try dispatch(daemon)
            let readers = try Readers(sizes.subscribers, Self.subscribe, on: daemon.socket)
            try readers.wait(for: sizes.subscribers)
            usleep(Self.pause / 4)
            let (second, secondTime) = try dispatch(daemon)
            // The last event is on its way when its writer has its answer.
            usleep(Self.pause / 4)
            // What comes while they are still being told is merged, on a machine that has much else to do.
            told += readers.frames - sizes.subscribers
            alone.add(first)
            beside.add(second)
            aloneTime += firstTime
            besideTime += secondTime
            quotients.append(Self.percentile(second) / Self.percentile(first))
        }
        let events = Double(sizes.watchRounds * sizes.watchedEvents * sizes.subscribers)
        let name = "\(sizes.subscribers) subscribers of one scope"
        findings.add("a writer at 100 dispatches/s, p50 / alone", alone.percentile(50), "us")
        findings.add("a writer at 100 dispatches/s, p99 / alone", alone.percentile(99), "us")
        findings.add("\(name), the writer's p50", beside.percentile(50), "us")
        findings.add("\(name), the writer's p99", beside.percentile(99), "us")
        findings.add("\(name), replies each and event", Double(told) / events, "")
        findings.add(
            "\(name), us of processor time each and reply", (besideTime - aloneTime) * 1e6 / Double(max(1, told)), .atMost(5))
        findings.add("\(name), the writer's p99 / alone", Figure.median(quotients), .atMost(3))
    }

    private func dispatch(
        _ daemon: Daemon, _ frame: String = Self.write
    ) throws(BenchmarkError) -> (latencies: [UInt64], processorTime: Double) {
        var latencies = [UInt64](repeating: 0, count: setup.sizes.watchedEvents)
        let call = Array(frame.utf8).map { CChar(bitPattern: $0) }
        let before = daemon.processorTime()
        let code = cload_paced(daemon.socket, call, call.count, Self.interval, latencies.count, &latencies)
        guard code == 0 else { throw BenchmarkError("a paced writer: \(String(cString: strerror(code)))") }
        return (latencies, daemon.processorTime() - before)
    }

    private static func percentile(_ latencies: [UInt64]) -> Double {
        var own = Latencies()
        own.add(latencies)
        return own.percentile(99)
    }

    private func hold(_ daemon: Daemon, _ findings: inout Findings) throws(BenchmarkError) {
        let sizes = setup.sizes
        Progress.say("  memory of connections")
        let idle = try cost(sizes.idleConnections, "", .neverReads, daemon)
        findings.add("an idle connection, of \(sizes.idleConnections)", idle.megabytes * 1e6 / Double(sizes.idleConnections), "B")
        findings.add("their processor time", idle.seconds * 1e3, "ms a second")
        let following = try cost(sizes.subscribers, Self.subscribe, .reads, daemon)
        findings.add(
            "a subscriber that is up to date, of \(sizes.subscribers)", following.megabytes * 1e6 / Double(sizes.subscribers),
            "B")
        var list = TodoList()
        try list.add(20_000, to: daemon.socket)
        usleep(Self.pause)
        let stalled = try cost(20, Self.follow, .neverReads, daemon)
        findings.add("a subscriber that never reads, of 20", stalled.megabytes / 20, "MB")
        findings.add("a subscriber that never reads, MB", stalled.megabytes / 20, .atMost(3))
        let calls = Self.subscribe + String(repeating: Self.read, count: 60)
        let waiting = try cost(30, calls, .neverReads, daemon)
        findings.add("30 connections with 60 calls behind a subscription, MB", waiting.megabytes, .atMost(16))
        findings.add("an idle connection, KB", idle.megabytes * 1e3 / Double(sizes.idleConnections), .atMost(16))
    }

    /// A writer that changes a list of 10,000 todos of 400 bytes, alone and beside subscribers that do harm.
    private func stall(
        _ data: URL, _ environment: [String: String], _ findings: inout Findings
    ) throws(BenchmarkError) {
        let daemon = try Daemon(setup, data: data, environment: environment)
        let note = String(repeating: "n", count: 330)
        var texts = ActionTexts()
        texts.append(ActionTexts.add((1...500).map { "Buy the milk, bottle \($0)" }, note: note))
        _ = try Load(calls: 20, isKeyed: false).run(texts, on: daemon.socket, latenciesMax: 0)
        // In turns, so that the state is another one each time.
        let write = ["beer", "wine"].map { drink in
            let actions = (1...10).map { ActionTexts.edit($0, title: "Buy the \(drink)") }.joined(separator: ",")
            return #"{"method":"org.todod.Store.Dispatch","parameters":{"actions":[\#(actions)]}}"# + "\0"
        }.joined()
        _ = try dispatch(daemon, write)
        Progress.say("  subscribers that do harm")
        let name = "a writer to 10,000 changing todos, p99"
        findings.add("\(name) / alone", Self.percentile(try dispatch(daemon, write).latencies) / 1e3, "ms")
        for (count, habit, what) in [
            (Self.stalled, Readers.Habit.neverReads, "\(Self.stalled) subscribers that never read"),
            (250, .subscribesAgain, "250 connections that subscribe again and again"),
        ] {
            let before = try daemon.memory("RssAnon")
            let readers = try Readers(count, Self.follow, habit, on: daemon.socket)
            let beside = Self.percentile(try dispatch(daemon, write).latencies) / 1e3
            let growth = try daemon.memory("RssAnon") - before
            withExtendedLifetime(readers) {}
            findings.add("\(name), beside \(what), ms", beside, .atMost(20))
            findings.add("\(what), MB", growth, .atMost(50))
        }
        try daemon.stop()
    }

    /// What connections add to the daemon's memory, and the processor time that they take in a second of silence.
    private func cost(
        _ count: Int, _ frames: String, _ habit: Readers.Habit, _ daemon: Daemon
    ) throws(BenchmarkError) -> (megabytes: Double, seconds: Double) {
        let before = try daemon.memory("RssAnon")
        let readers = try Readers(count, frames, habit, on: daemon.socket)
        usleep(2 * Self.pause)
        let start = daemon.processorTime()
        usleep(Self.pause)
        let seconds = daemon.processorTime() - start
        let megabytes = try daemon.memory("RssAnon") - before
        withExtendedLifetime(readers) {}
        return (megabytes, seconds)
    }
}

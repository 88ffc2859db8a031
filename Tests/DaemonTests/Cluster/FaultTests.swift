import DispatchHistory
import EtcdTesting
import Foundation
import ProcessTesting
import Synchronization
import TestSupport
import Testing
import TodoClient
import Varlink

/// Three members of a cluster, three daemons, and faults while clients dispatch.
///
/// The log must remain one and linearizable.
///
/// A run is derived from its seed, except for the scheduling of its processes. `CLUSTER_SEED=17 make test-cluster` repeats a
/// single run.
@Suite(
    .ownThreads, .serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"),
    .enabled(if: Network.works, "\(Network.missing)"))
struct FaultTests {
    static let clientsPerDaemon = 8

    /// The parameters of a run.
    struct Plan: Sendable, CustomTestStringConvertible {
        var seed: UInt64
        /// The number of dispatches of all clients together.
        ///
        /// Faults continue until then.
        var dispatches: Int
        /// The faults that happen first, once each.
        var faults: [Fault]

        var testDescription: String { "seed \(seed)" }

        init(seed: UInt64, dispatches: Int) {
            (self.seed, self.dispatches) = (seed, dispatches)
            var generator = SeededGenerator(dispatches < FaultTests.long ? 0 : seed)
            let faults = Fault.allCases.shuffled(using: &generator)
            // Short runs have different subsets of the faults, and three of them have all.
            self.faults =
                dispatches < FaultTests.long ? faults.indices.filter { $0 % 3 == Int(seed % 3) }.map { faults[$0] } : faults
        }
    }

    static let long = 20_000
    /// The maximum duration of a run once it has a thread.
    ///
    /// Waiting for a thread does not count.
    static let secondsMax = 900.0

    static let plans: [Plan] = {
        let environment = ProcessInfo.processInfo.environment
        func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
        let dispatches = number("CLUSTER_DISPATCHES") ?? 3_000
        if let seed = number("CLUSTER_SEED") { return [Plan(seed: UInt64(seed), dispatches: dispatches)] }
        guard let runs = number("CLUSTER_RUNS") else { return (1...3).map { Plan(seed: $0, dispatches: dispatches) } }
        return (0..<runs).map { _ in Plan(seed: .random(in: 1..<1 << 32), dispatches: dispatches) }
    }()

    @Test(arguments: plans) func `whatever fails, each dispatch is in the log once, and the log is linearizable`(
        plan: Plan
    ) throws {
        let deadline = Deadline(seconds: Self.secondsMax)
        let site = try Site()
        let sockets = site.daemons.map(\.socket)
        let (progress, end) = (Progress(wanted: plan.dispatches), TeamReader.End())
        let clients = (0..<Self.clientsPerDaemon * Site.size).map { index in
            Background<(DispatchHistory, Set<String>)> {
                var client = TeamClient(sockets, home: index % Site.size, seed: plan.seed << 8 | UInt64(index))
                while !progress.isOver {
                    try client.work()
                    // The remaining faults affect fewer of them.
                    if progress.advance() { usleep(100_000) }
                }
                return (client.history, client.reminders)
            }
        }
        let readers = (sockets.map { [$0] } + [sockets]).map { sockets in
            Background { try TeamReader(sockets: sockets, end: end).read() }
        }

        let watch = RunnerWatch(doors: site.members.doors) { progress.isOver }
        let terms = Background { watch.terms() }

        var generator = SeededGenerator(plan.seed)
        var struck: [String] = []
        let start = uptime()
        func strike(_ fault: Fault) throws {
            usleep(UInt32.random(in: 500_000...1_500_000, using: &generator))
            let before = (uptime() - start) / 1_000
            let what = try fault.strike(site, &generator)
            struck.append("\(before) ms: \(what)")
        }
        defer {
            progress.end()
            end.set(0)
        }
        defer { if Self.isTalkative { print("Seed \(plan.seed):\n\(struck.joined(separator: "\n"))") } }
        for fault in plan.faults { try strike(fault) }
        while !progress.isReached {
            guard deadline.milliseconds > 0 else { throw Unexpected("\(plan) got no further within \(Self.secondsMax) s") }
            try strike(Fault.allCases.randomElement(using: &generator) ?? .allOff)
        }
        progress.end()
        let checked = uptime()

        var history = DispatchHistory()
        var reminders: Set<String> = []
        for client in clients {
            let (own, keys) = try client.value(seconds: 120)
            history.dispatches += own.dispatches
            history.reads += own.reads
            reminders.formUnion(keys)
        }
        history.terms = try terms.value()
        #expect(history.terms.contains { $0.through > $0.behind })
        let heads = try site.heads()
        let isOne = Set(heads.map { $0["head"]?.text }).count == 1 && Set(heads.map { $0["digest"]?.text }).count == 1
        #expect(isOne, "\(heads)")
        end.set(heads[0]["sequence"]?.int ?? 0)
        history.told = try readers.map { try $0.value(seconds: 60) }

        let log = try site.daemons[0].connect().log()
        let contradictions = history.contradictions(with: log.map { LoggedRecord($0) })
        #expect(contradictions.isEmpty, "\(contradictions.count) in \(plan): \(contradictions.prefix(10)) after \(struck)")
        let times = log.map { $0["time"]?.int ?? 0 }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        expectCommands(in: log, reminders, site)
        for daemon in site.daemons {
            let verified = try daemon.connect(seconds: 120).stream("org.todod.Admin.Verify").last
            #expect(verified?["damages"]?.list == [], "\(String(describing: verified))")
        }
        if Self.isTalkative {
            print("\(log.count) records, \(history.summary), \((checked - start) / 1_000) and \((uptime() - checked) / 1_000) ms")
        }
    }

    private static let isTalkative = ProcessInfo.processInfo.environment["CLUSTER_TALK"] != nil

    /// Checks that each requested command had its effect at least once, under one name, and has one end in the log.
    private func expectCommands(in log: [Value], _ reminders: Set<String>, _ site: Site) {
        let asking = log.filter { $0["key"]?.text.map(reminders.contains) ?? false }
        let ends = log.filter { $0["kind"] == "end" }
        #expect(ends.compactMap { $0["cause"]?["sequence"]?.int }.sorted() == asking.compactMap { $0["sequence"]?.int })
        let results = ends.allSatisfy { $0["outcome"] == "result" }
        #expect(results, "\(ends.filter { $0["outcome"] != "result" })")
        let names = site.reminders.names()
        #expect(Set(names.keys) == Set(asking.compactMap { $0["key"]?.text }))
        #expect(names.values.allSatisfy { $0.count == 1 }, "\(names.filter { $0.value.count != 1 })")
    }
}

/// The progress of all clients together.
private final class Progress: Sendable {
    private let wanted: Int
    private let count = Atomic<Int>(0)
    private let flag = Atomic<Bool>(false)

    init(wanted: Int) { self.wanted = wanted }

    /// Counts one more dispatch.
    ///
    /// Returns whether the target is exceeded.
    func advance() -> Bool { count.wrappingAdd(1, ordering: .relaxed).newValue > wanted }
    var isReached: Bool { count.load(ordering: .relaxed) >= wanted }
    var isOver: Bool { flag.load(ordering: .relaxed) }
    func end() { flag.store(true, ordering: .relaxed) }
}

extension DispatchHistory {
    /// The observations in numbers.
    fileprivate var summary: String {
        var counts: [String: Int] = [:]
        for attempt in dispatches.flatMap(\.attempts) {
            let name =
                switch attempt.outcome {
                case .acknowledged(_, let isDuplicate): isDuplicate ? "duplicate" : "acknowledged"
                case .refused: "refused"
                case .stale: "stale"
                case .unknown: "unknown"
                }
            counts[name, default: 0] += 1
        }
        return "\(dispatches.count) dispatches, \(reads.count) reads, \(counts.sorted { $0.key < $1.key })"
    }
}

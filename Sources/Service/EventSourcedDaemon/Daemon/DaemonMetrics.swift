import CoreMetrics
import LinuxService
import StoreRuntime
import Synchronization
import TodoAPI
import VarlinkNIO

#if Cluster
    import Etcd
    import ReplicatedLog
#endif

/// What the daemon counts, under the names by which Prometheus reads it; the parts count for themselves.
final class DaemonMetrics<App: DaemonApp>: Sendable {
    private let registry = MetricRegistry()
    private let prefix: String
    private let store: Store<App>
    private let shared: SharedLog?
    private let server = Mutex<VarlinkServer?>(nil)
    private let totals = Mutex<[String: Int64]>([:])
    // The subscriptions that were told of last.
    private let subscriptions = Mutex<Set<String>>([])
    private let nodes = Mutex<Set<String>>([])

    init(
        of program: Program, store: Store<App>, shared: SharedLog? = nil, folded: UInt64, in time: Duration
    ) {
        prefix = program.name + "_"
        self.store = store
        self.shared = shared
        MetricsSystem.bootstrap(registry)
        for (name, sentence) in metricSentences { registry.describe(prefix + name, sentence) }
        gauge("replay_records", Double(folded))
        gauge("replay_seconds", time / .seconds(1))
        gauge("build_info", 1, ["version": program.version, "build": "\(program.build)"])
    }

    func serve(_ server: VarlinkServer) { self.server.withLock { $0 = server } }

    /// Tells who is connected.
    func listClients(_ tell: @escaping @Sendable ([ConnectionStatus]) -> Void) {
        if let server = server.withLock({ $0 }) { server.listClients(tell) } else { tell([]) }
    }

    var connections: Int { server.withLock { $0?.counters.connections ?? 0 } }

    /// Everything in the Prometheus text format.
    func text(subscribers: Int, subscriptions: [SubscriptionMessage]) -> String {
        let status = store.status
        gauge("subscribers", Double(subscribers))
        tell(of: subscriptions)
        times("dispatch", store.dispatchTimes)
        times("flush", store.flushTimes)
        for (length, histogram) in store.queries.times { times("query", histogram, ["length": "\(length)"]) }
        total("dispatches", Int64(status.dispatches))
        total("refusals", Int64(status.refused))
        total("records", Int64(status.records))
        total("flushes", Int64(status.flushes))
        total("failed_flushes", Int64(status.failedFlushes))
        gauge("sequence", Double(store.present.sequence))
        gauge("state_bytes", Double(store.present.stateBytes))
        gauge("log_bytes", Double(status.logBytes))
        // In memory there is no disk to tell of.
        if status.freeBytes <= UInt64(Int64.exactMax) { gauge("disk_free_bytes", Double(status.freeBytes)) }
        gauge("outbox_commands", Double(status.outbox))
        gauge("outbox_started", Double(status.outboxStarted))
        gauge("outbox_parked", Double(status.outboxParked))
        gauge("outbox_held", Double(status.outboxHeld))
        total("late_ends", Int64(status.lateEnds))
        total("repeated_pieces", Int64(status.repeatedPieces))
        total("parked_by_rate", Int64(status.rateParked))
        gauge("snapshot_sequence", Double(status.snapshot.sequence))
        gauge("waiting_dispatches", Double(status.waitingDispatches))
        #if Cluster
            if let shared { tell(of: shared.standing, shared.lastSurvey) }
        #endif
        if let counters = server.withLock({ $0?.counters }) {
            gauge("connections", Double(counters.connections))
            total("connections_accepted", Int64(counters.accepted))
            total("connections_refused", Int64(counters.refused))
            total("accept_failures", Int64(counters.acceptFailures))
            total("calls", Int64(counters.calls))
            total("received_bytes", Int64(counters.bytesReceived))
            total("sent_bytes", Int64(counters.bytesSent))
            total("timeouts", Int64(counters.timeouts))
            for (name, count) in counters.errors {
                let reason = name.split(separator: ".").last.map(String.init) ?? "other"
                total("failed_calls", Int64(count), ["reason": reason])
            }
        }
        return registry.text()
    }

    #if Cluster
        /// Reports what this machine knows and what its last survey found; it asks no member: `todoctl cluster` does.
        private func tell(of standing: SharedLogStanding, _ survey: SharedLogSurvey?) {
            gauge("cluster_batches", Double(standing.batches))
            gauge("cluster_following", store.followingObstacle == nil ? 1 : 0)
            gauge("cluster_runs_commands", standing.isLeading ? 1 : 0)
            gauge("cluster_away", standing.isAway ? 1 : 0)
            gauge("cluster_in_doubt", standing.isInDoubt ? 1 : 0)
            gauge("cluster_full", standing.isFull ? 1 : 0)
            // While the cluster is away, nothing is known of the other machines.
            let batches = standing.isAway ? nil : survey?.batches
            let nodes = batches == nil ? [] : survey?.nodes ?? []
            forget(
                ["cluster_node_lag_batches", "cluster_node_silent_seconds", "cluster_node_following"], "node", self.nodes,
                but: nodes.map(\.name))
            guard let batches else { return }
            let now = StoreClock.system.wall()
            for node in nodes {
                let labels: KeyValuePairs = ["node": node.name]
                gauge("cluster_node_lag_batches", Double(batches - min(batches, node.batches)), labels)
                gauge("cluster_node_silent_seconds", max(0, Double(now) - Double(node.time)) / 1e6, labels)
                gauge("cluster_node_following", node.obstacle.isEmpty ? 1 : 0, labels)
            }
        }
    #endif

    /// Shows nothing more of what is no longer there.
    private func forget(_ metrics: [String], _ label: String, _ known: borrowing Mutex<Set<String>>, but names: [String]) {
        let gone = known.withLock { known in
            defer { known = Set(names) }
            return known.subtracting(names)
        }
        for name in gone {
            for metric in metrics { Meter(label: prefix + metric, dimensions: [(label, name)]).destroy() }
        }
    }

    private func tell(of all: [SubscriptionMessage]) {
        let subscriptions = all.filter { $0.damaged != true }
        forget(
            ["subscription_lag_records", "subscription_lag_seconds"], "name", self.subscriptions, but: subscriptions.map(\.name))
        let now = StoreClock.system.wall()
        for subscription in subscriptions {
            let labels: KeyValuePairs = ["name": subscription.name]
            gauge("subscription_lag_records", Double(subscription.lag), labels)
            gauge("subscription_lag_seconds", subscription.since.map { max(0, Double(now) - Double($0)) / 1e6 } ?? 0, labels)
        }
    }

    private func gauge(_ name: String, _ value: Double, _ labels: KeyValuePairs<String, String> = [:]) {
        Meter(label: prefix + name, dimensions: labels.map { ($0.key, $0.value) }).set(value)
    }

    private func total(_ name: String, _ value: Int64, _ labels: KeyValuePairs<String, String> = [:]) {
        let dimensions = labels.map { ($0.key, $0.value) }
        let more = totals.withLock { totals in
            let before = totals.updateValue(value, forKey: "\(name) \(dimensions)") ?? 0
            return value - before
        }
        Counter(label: prefix + name, dimensions: dimensions).increment(by: more)
    }

    private func times(_ name: String, _ histogram: LatencyHistogram, _ labels: KeyValuePairs<String, String> = [:]) {
        let values = histogram.values
        registry.setTimes(
            prefix + name, dimensions: labels.map { ($0.key, $0.value) },
            bounds: LatencyHistogram.bounds.map { Double($0) / 1e9 },
            counts: values.counts, sum: Double(values.nanoseconds) / 1e9)
    }
}

private let metricSentences = [
    "replay_records": "Records folded at the start.",
    "replay_seconds": "Time of the start's fold.",
    "dispatches": "Dispatches accepted or refused.",
    "refusals": "Dispatches refused.",
    "records": "Records written.",
    "flushes": "Commits of the log.",
    "failed_flushes": "Commits that failed.",
    "sequence": "The last record's sequence.",
    "log_bytes": "What the log uses on disk.",
    "state_bytes": "Estimated memory of the state, as compared to its limit.",
    "disk_free_bytes": "What the disk has left.",
    "outbox_commands": "Open commands.",
    "outbox_started": "Commands with an attempt under way.",
    "outbox_parked": "Commands that wait for a person.",
    "outbox_held": "Commands that are held.",
    "late_ends": "Ends of commands that came too late.",
    "repeated_pieces": "Pieces of results that an attempt brought again, and that were passed over.",
    "parked_by_rate": "Commands parked because ends of commands asked for too many within a minute.",
    "snapshot_sequence": "The newest snapshot's sequence.",
    "waiting_dispatches": "Dispatches that wait for the store.",
    "connections": "Open connections.",
    "connections_accepted": "Connections ever accepted.",
    "connections_refused": "Connections refused.",
    "accept_failures": "Failed accepts because no file descriptor was free.",
    "calls": "Calls started.",
    "received_bytes": "Bytes from clients.",
    "sent_bytes": "Bytes to clients.",
    "timeouts": "Connections closed because their client was too slow.",
    "failed_calls": "Calls answered with an error, by its name.",
    "cluster_batches": "Batches of the shared log that this machine has.",
    "cluster_following": "0 while this machine can't take in what others write, and shows only what it has.",
    "cluster_runs_commands": "1 where this machine runs the commands.",
    "cluster_away": "1 while nobody of the cluster answers.",
    "cluster_in_doubt": "1 while it is not known what became of the last change.",
    "cluster_full": "1 while the members of the cluster refuse writes because they have no space left.",
    "cluster_node_lag_batches": "Batches that a machine lacked a minute ago.",
    "cluster_node_silent_seconds": "How long a machine has said nothing, by its own clock; it speaks once a minute at least.",
    "cluster_node_following": "0 for a machine that can't take in what others write, and shows only what it has.",
    "subscribers": "Open subscriptions.",
    "subscription_lag_records": "Records behind the position of a kept subscription.",
    "subscription_lag_seconds": "Age of the first of those records.",
    "build_info": "Always 1; the labels say which release this is.",
    "dispatch": "From when the first dispatch of a batch came until all were answered, counted for each.",
    "flush": "Time of a commit.",
    "query": "Time of a question about the past or the state, waiting included.",
]

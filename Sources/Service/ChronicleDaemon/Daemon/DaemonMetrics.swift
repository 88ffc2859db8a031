import ChronicleStore
import LinuxService
import Synchronization
import TodoAPI
import VarlinkNIO

#if Cluster
    import Etcd
    import ReplicatedLog
#endif

final class DaemonMetrics<App: DaemonApp>: Sendable {
    private let program: Program
    private let store: Store<App>
    private let shared: SharedLog?
    private let folded: UInt64
    private let foldTime: Duration
    private let server = Mutex<VarlinkServer?>(nil)

    init(of program: Program, store: Store<App>, shared: SharedLog? = nil, folded: UInt64, in time: Duration) {
        (self.program, self.store, self.shared) = (program, store, shared)
        (self.folded, foldTime) = (folded, time)
    }

    func serve(_ server: VarlinkServer?) { self.server.withLock { $0 = server } }

    func listClients(_ tell: @escaping @Sendable ([ConnectionStatus]) -> Void) {
        if let server = server.withLock({ $0 }) { server.listClients(tell) } else { tell([]) }
    }

    var connections: Int { server.withLock { $0?.counters.connections ?? 0 } }

    func text(subscribers: Int) -> String {
        let status = store.status
        var metrics = MetricText(program: program.name, sentences: metricSentences)
        metrics.gauge("replay_records", Double(folded))
        metrics.gauge("replay_seconds", foldTime / .seconds(1))
        metrics.gauge("build_info", 1, ["version": program.version, "build": "\(program.build)"])
        metrics.gauge("subscribers", Double(subscribers))
        metrics.times("dispatch", store.dispatchTimes)
        metrics.times("flush", store.flushTimes)
        for (length, histogram) in store.queries.times { metrics.times("query", histogram, ["length": "\(length)"]) }
        metrics.total("dispatches", Int(status.dispatches))
        metrics.total("refusals", Int(status.refused))
        metrics.total("records", Int(status.records))
        metrics.total("flushes", Int(status.flushes))
        metrics.total("failed_flushes", Int(status.failedFlushes))
        metrics.gauge("sequence", Double(store.present.sequence))
        metrics.gauge("state_bytes", Double(store.present.stateBytes))
        metrics.gauge("log_bytes", Double(status.logBytes))
        // A log in memory has no disk metrics.
        if status.freeBytes <= UInt64(Int64.exactMax) { metrics.gauge("disk_free_bytes", Double(status.freeBytes)) }
        metrics.gauge("outbox_commands", Double(status.commands.open))
        metrics.gauge("outbox_started", Double(status.commands.started))
        metrics.gauge("outbox_parked", Double(status.commands.parked))
        metrics.gauge("outbox_held", Double(status.commands.held))
        metrics.total("late_ends", Int(status.lateEnds))
        metrics.total("repeated_pieces", Int(status.repeatedPieces))
        metrics.total("parked_by_rate", Int(status.rateParked))
        metrics.gauge("snapshot_sequence", Double(status.snapshot.sequence))
        metrics.gauge("waiting_dispatches", Double(status.waitingDispatches))
        #if Cluster
            if let shared { add(shared.standing, shared.lastSurvey, to: &metrics) }
        #endif
        if let counters = server.withLock({ $0?.counters }) {
            metrics.gauge("connections", Double(counters.connections))
            metrics.total("connections_accepted", Int(counters.accepted))
            metrics.total("connections_refused", Int(counters.refused))
            metrics.total("accept_failures", Int(counters.acceptFailures))
            metrics.total("calls", Int(counters.calls))
            metrics.total("received_bytes", Int(counters.bytesReceived))
            metrics.total("sent_bytes", Int(counters.bytesSent))
            metrics.total("timeouts", Int(counters.timeouts))
            for (name, count) in counters.errors {
                let isRefusal = InterfaceNames(prefix: program.interfaces).own(name).hasPrefix(APIError.featurePrefix)
                let reason = name.split(separator: ".").suffix(isRefusal ? 2 : 1).joined(separator: ".")
                metrics.total("failed_calls", Int(count), ["reason": reason])
            }
        }
        return metrics.text
    }

    #if Cluster
        /// The state of this machine, and of the others as of the last survey.
        private func add(_ standing: SharedLogStanding, _ survey: SharedLogSurvey?, to metrics: inout MetricText) {
            metrics.gauge("cluster_batches", Double(standing.batches))
            metrics.gauge("cluster_following", store.followingObstacle == nil ? 1 : 0)
            metrics.gauge("cluster_runs_commands", standing.isLeading ? 1 : 0)
            metrics.gauge("cluster_away", standing.isAway ? 1 : 0)
            metrics.gauge("cluster_in_doubt", standing.isInDoubt ? 1 : 0)
            metrics.gauge("cluster_full", standing.isFull ? 1 : 0)
            // While no member answers, the state of the other machines is unknown.
            guard !standing.isAway, let survey, let batches = survey.batches else { return }
            let now = StoreClock.system.wall()
            for node in survey.nodes {
                let labels: MetricText.Labels = ["node": node.name]
                metrics.gauge("cluster_node_lag_batches", Double(batches - min(batches, node.batches)), labels)
                metrics.gauge("cluster_node_silent_seconds", max(0, Double(now) - Double(node.time)) / 1e6, labels)
                metrics.gauge("cluster_node_following", node.obstacle.isEmpty ? 1 : 0, labels)
            }
        }
    #endif
}

extension MetricText {
    fileprivate mutating func times(_ name: String, _ histogram: LatencyHistogram, _ labels: Labels = [:]) {
        let values = histogram.values
        times(
            name, bounds: LatencyHistogram.bounds.map { Double($0) / 1e9 }, counts: values.counts,
            sum: Double(values.nanoseconds) / 1e9, labels)
    }
}

private let metricSentences = [
    "replay_records": "Records folded at the start.",
    "replay_seconds": "Time of the fold at the start.",
    "dispatches": "Dispatches accepted or refused.",
    "refusals": "Dispatches refused.",
    "records": "Records written.",
    "flushes": "Commits of the log.",
    "failed_flushes": "Commits that failed.",
    "sequence": "The last record's sequence.",
    "log_bytes": "Bytes that the log uses on disk.",
    "state_bytes": "Estimated memory of the state, as compared with its limit.",
    "disk_free_bytes": "Free bytes of the disk.",
    "outbox_commands": "Open commands.",
    "outbox_started": "Commands with a running attempt.",
    "outbox_parked": "Commands that wait for a person.",
    "outbox_held": "Commands that are held.",
    "late_ends": "Ends of commands that came too late.",
    "repeated_pieces": "Pieces of results that an attempt repeated, and that were ignored.",
    "parked_by_rate": "Commands parked because ends of commands requested too many within a minute.",
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
    "cluster_following": "0 while this machine can't follow the others, and shows only its own copy.",
    "cluster_runs_commands": "1 where this machine runs the commands.",
    "cluster_away": "1 while no member of the cluster answers.",
    "cluster_in_doubt": "1 while the outcome of the last change is unknown.",
    "cluster_full": "1 while the members of the cluster refuse writes because they have no space left.",
    "cluster_node_lag_batches": "Batches that a machine lacked a minute ago.",
    "cluster_node_silent_seconds":
        "Time since the last report of a machine, by its own clock; it reports at least once a minute.",
    "cluster_node_following": "0 for a machine that can't follow the others, and shows only its own copy.",
    "subscribers": "Open subscriptions.",
    "build_info": "Always 1; the labels name the release.",
    "dispatch": "Time from the first dispatch of a batch until all are answered, counted for each.",
    "flush": "Time of a commit.",
    "query": "Time of a query of the past or the state, including waiting.",
]

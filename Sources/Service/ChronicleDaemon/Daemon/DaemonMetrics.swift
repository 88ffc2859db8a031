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
        var metrics = MetricText(program: program.name)
        metrics.gauge("replay_records", folded, "Records folded at the start.")
        metrics.gauge("replay_seconds", foldTime / .seconds(1), "Time of the fold at the start.")
        metrics.gauge(
            "build_info", 1, "Always 1; the labels name the release.", ["version": program.version, "build": "\(program.build)"])
        metrics.gauge("subscribers", subscribers, "Open subscriptions.")
        metrics.times(
            "dispatch", store.dispatchTimes, "Time from the first dispatch of a batch until all are answered, counted for each.")
        metrics.times("flush", store.flushTimes, "Time of a commit.")
        for (length, histogram) in store.queries.times {
            metrics.times(
                "query", histogram, "Time of a query of the past or the state, including waiting.", ["length": "\(length)"])
        }
        metrics.total("dispatches", status.dispatches, "Dispatches accepted or refused.")
        metrics.total("refusals", status.refused, "Dispatches refused.")
        metrics.total("records", status.records, "Records written.")
        metrics.total("flushes", status.flushes, "Commits of the log.")
        metrics.total("failed_flushes", status.failedFlushes, "Commits that failed.")
        metrics.gauge("sequence", store.present.sequence, "The last record's sequence.")
        metrics.gauge("state_bytes", store.present.stateBytes, "Estimated memory of the state, as compared with its limit.")
        metrics.gauge("log_bytes", status.logBytes, "Bytes that the log uses on disk.")
        // A log in memory has no disk metrics.
        if status.freeBytes <= UInt64(Int64.exactMax) {
            metrics.gauge("disk_free_bytes", status.freeBytes, "Free bytes of the disk.")
        }
        metrics.gauge("outbox_commands", status.commands.open, "Open commands.")
        metrics.gauge("outbox_started", status.commands.started, "Commands with a running attempt.")
        metrics.gauge("outbox_parked", status.commands.parked, "Commands that wait for a person.")
        metrics.gauge("outbox_held", status.commands.held, "Commands that are held.")
        metrics.total("late_ends", status.lateEnds, "Ends of commands that came too late.")
        metrics.total(
            "repeated_pieces", status.repeatedPieces, "Pieces of results that an attempt repeated, and that were ignored.")
        metrics.total(
            "parked_by_rate", status.rateParked, "Commands parked because ends of commands requested too many within a minute.")
        metrics.gauge("snapshot_sequence", status.snapshot.sequence, "The newest snapshot's sequence.")
        metrics.gauge("waiting_dispatches", status.waitingDispatches, "Dispatches that wait for the store.")
        #if Cluster
            if let shared { add(shared.standing, to: &metrics) }
        #endif
        if let counters = server.withLock({ $0?.counters }) {
            metrics.gauge("connections", counters.connections, "Open connections.")
            metrics.total("connections_accepted", counters.accepted, "Connections ever accepted.")
            metrics.total("connections_refused", counters.refused, "Connections refused.")
            metrics.total("accept_failures", counters.acceptFailures, "Failed accepts because no file descriptor was free.")
            metrics.total("calls", counters.calls, "Calls started.")
            metrics.total("received_bytes", counters.bytesReceived, "Bytes from clients.")
            metrics.total("sent_bytes", counters.bytesSent, "Bytes to clients.")
            metrics.total("timeouts", counters.timeouts, "Connections closed because their client was too slow.")
            for (name, count) in counters.errors {
                let isRefusal = InterfaceNames(prefix: program.interfaces).own(name).hasPrefix(APIError.featurePrefix)
                let reason = name.split(separator: ".").suffix(isRefusal ? 2 : 1).joined(separator: ".")
                metrics.total("failed_calls", count, "Calls answered with an error, by its name.", ["reason": reason])
            }
        }
        return metrics.text
    }

    #if Cluster
        /// The state of this machine in the cluster.
        private func add(_ standing: SharedLogStanding, to metrics: inout MetricText) {
            metrics.gauge("cluster_batches", standing.batches, "Batches of the shared log that this machine has.")
            metrics.gauge(
                "cluster_following", store.followingObstacle == nil,
                "0 while this machine can't follow the others, and shows only its own copy.")
            metrics.gauge("cluster_runs_commands", standing.isLeading, "1 where this machine runs the commands.")
            metrics.gauge("cluster_away", standing.isAway, "1 while no member of the cluster answers.")
            metrics.gauge("cluster_in_doubt", standing.isInDoubt, "1 while the outcome of the last change is unknown.")
            metrics.gauge(
                "cluster_full", standing.isFull,
                "1 while the members of the cluster refuse writes because they have no space left.")
        }
    #endif
}

/// Metrics in Prometheus's text format.
struct MetricText {
    typealias Labels = KeyValuePairs<String, String>

    private struct Family {
        let kind: String
        let help: String
        var lines: [String: String] = [:]
    }

    private let prefix: String
    private var families: [String: Family] = [:]

    init(program: String) { prefix = String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }) + "_" }

    mutating func gauge(_ name: String, _ value: Double, _ help: String, _ labels: Labels = [:]) {
        add(name, "gauge", help, labels) { "\($0)\(Self.text(labels)) \(Self.text(value))\n" }
    }

    mutating func gauge(_ name: String, _ value: some BinaryInteger, _ help: String, _ labels: Labels = [:]) {
        gauge(name, Double(value), help, labels)
    }

    mutating func gauge(_ name: String, _ value: Bool, _ help: String, _ labels: Labels = [:]) {
        gauge(name, value ? 1.0 : 0, help, labels)
    }

    /// The name gets the suffix `_total`.
    mutating func total(_ name: String, _ value: some BinaryInteger, _ help: String, _ labels: Labels = [:]) {
        add(name + "_total", "counter", help, labels) { "\($0)\(Self.text(labels)) \(value)\n" }
    }

    mutating func times(_ name: String, _ histogram: LatencyHistogram, _ help: String, _ labels: Labels = [:]) {
        let values = histogram.values
        times(
            name, bounds: LatencyHistogram.bounds.map { Double($0) / 1e9 }, counts: values.counts,
            sum: Double(values.nanoseconds) / 1e9, help, labels)
    }

    /// Adds a histogram of times; its name gets the suffix `_seconds`.
    ///
    /// - Parameters:
    ///   - bounds: the upper bounds in seconds, ascending.
    ///   - counts: the count of each bound's bucket, then of the values above the last.
    ///   - sum: the sum of all times in seconds.
    mutating func times(
        _ name: String, bounds: [Double], counts: [UInt64], sum: Double, _ help: String, _ labels: Labels = [:]
    ) {
        add(name + "_seconds", "histogram", help, labels) { name in
            var (lines, count) = ("", UInt64(0))
            for (bound, more) in zip(bounds.map(Self.text) + ["+Inf"], counts) {
                count += more
                lines += "\(name)_bucket\(Self.text(labels, "le=\"\(bound)\"")) \(count)\n"
            }
            return lines + "\(name)_sum\(Self.text(labels)) \(Self.text(sum))\n\(name)_count\(Self.text(labels)) \(count)\n"
        }
    }

    var text: String {
        families.sorted { $0.key < $1.key }.map { name, family in
            "# HELP \(name) \(family.help)\n# TYPE \(name) \(family.kind)\n"
                + family.lines.sorted { $0.key < $1.key }.map(\.value).joined()
        }.joined()
    }

    private mutating func add(_ name: String, _ kind: String, _ help: String, _ labels: Labels, _ lines: (String) -> String) {
        families[prefix + name, default: Family(kind: kind, help: help)].lines[Self.text(labels)] = lines(prefix + name)
    }

    private static func text(_ labels: Labels, _ last: String? = nil) -> String {
        let pairs = labels.map { name, value in
            let escaped = value.unicodeScalars.map { $0 == "\n" ? "\\n" : $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }
            return "\(name)=\"\(escaped.joined())\""
        }
        let all = pairs.sorted() + (last.map { [$0] } ?? [])
        return all.isEmpty ? "" : "{\(all.joined(separator: ","))}"
    }

    private static func text(_ value: Double) -> String { Int64(exactly: value).map { String($0) } ?? "\(value)" }
}

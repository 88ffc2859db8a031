import AppFeature
import CoreMetrics
import DaemonProcess
import StoreRuntime
import Synchronization
import VarlinkNIO

/// What the daemon counts, under the names by which Prometheus reads it; the parts count for themselves.
final class DaemonMetrics: Sendable {
    private let registry = MetricRegistry()
    private let store: Store<App>
    private let server = Mutex<VarlinkServer?>(nil)
    private let totals = Mutex<[String: Int64]>([:])

    init(store: Store<App>, folded: UInt64, in time: Duration) {
        self.store = store
        MetricsSystem.bootstrap(registry)
        for (name, sentence) in Self.sentences { registry.describe(name, sentence) }
        gauge("todod_replay_records", Double(folded))
        gauge("todod_replay_seconds", time / .seconds(1))
        gauge("todod_build_info", 1, ["version": Version.text, "build": "\(Version.build)"])
    }

    func serve(_ server: VarlinkServer) { self.server.withLock { $0 = server } }

    /// Tells who is connected.
    func listClients(_ tell: @escaping @Sendable ([VarlinkClient]) -> Void) {
        if let server = server.withLock({ $0 }) { server.listClients(tell) } else { tell([]) }
    }

    /// Open connections.
    var connections: Int { server.withLock { $0?.counters.connections ?? 0 } }

    /// Everything in the Prometheus text format.
    func text(subscribers: Int) -> String {
        let status = store.status
        gauge("todod_subscribers", Double(subscribers))
        times("todod_dispatch", store.dispatchTimes)
        times("todod_flush", store.flushTimes)
        for (length, histogram) in store.queries.times { times("todod_query", histogram, ["length": "\(length)"]) }
        total("todod_dispatches", Int64(status.dispatches))
        total("todod_refusals", Int64(status.refused))
        total("todod_records", Int64(status.records))
        total("todod_flushes", Int64(status.flushes))
        total("todod_failed_flushes", Int64(status.failedFlushes))
        gauge("todod_flush_seconds_sum", Double(status.flushNanoseconds) / 1e9)
        gauge("todod_sequence", Double(store.present.sequence))
        gauge("todod_log_bytes", Double(status.logBytes))
        gauge("todod_disk_free_bytes", Double(status.freeBytes))
        gauge("todod_outbox_commands", Double(status.outbox))
        gauge("todod_outbox_started", Double(status.outboxStarted))
        gauge("todod_outbox_parked", Double(status.outboxParked))
        gauge("todod_outbox_held", Double(status.outboxHeld))
        total("todod_late_ends", Int64(status.lateEnds))
        gauge("todod_snapshot_sequence", Double(status.snapshot.sequence))
        gauge("todod_waiting_dispatches", Double(status.waitingDispatches))
        if let counters = server.withLock({ $0?.counters }) {
            gauge("todod_connections", Double(counters.connections))
            total("todod_connections_accepted", Int64(counters.accepted))
            total("todod_connections_refused", Int64(counters.refused))
            total("todod_calls", Int64(counters.calls))
            total("todod_received_bytes", Int64(counters.bytesReceived))
            total("todod_sent_bytes", Int64(counters.bytesSent))
            total("todod_timeouts", Int64(counters.timeouts))
            for (name, count) in counters.errors {
                let reason = name.split(separator: ".").last.map(String.init) ?? "other"
                total("todod_failed_calls", Int64(count), ["reason": reason])
            }
        }
        return registry.text()
    }

    private func gauge(_ name: String, _ value: Double, _ labels: KeyValuePairs<String, String> = [:]) {
        Meter(label: name, dimensions: labels.map { ($0.key, $0.value) }).set(value)
    }

    private func total(_ name: String, _ value: Int64, _ labels: KeyValuePairs<String, String> = [:]) {
        let dimensions = labels.map { ($0.key, $0.value) }
        let more = totals.withLock { totals in
            let before = totals.updateValue(value, forKey: "\(name) \(dimensions)") ?? 0
            return value - before
        }
        Counter(label: name, dimensions: dimensions).increment(by: more)
    }

    private func times(_ name: String, _ histogram: LatencyHistogram, _ labels: KeyValuePairs<String, String> = [:]) {
        let values = histogram.values
        registry.setTimes(
            name, dimensions: labels.map { ($0.key, $0.value) }, bounds: LatencyHistogram.bounds.map { Double($0) / 1e9 },
            counts: values.counts, sum: Double(values.nanoseconds) / 1e9)
    }

    private static let sentences = [
        "todod_replay_records": "Records folded at the start.",
        "todod_replay_seconds": "Time of the start's fold.",
        "todod_dispatches": "Dispatches judged.",
        "todod_refusals": "Dispatches refused.",
        "todod_records": "Records written.",
        "todod_flushes": "Commits of the log.",
        "todod_failed_flushes": "Commits that failed.",
        "todod_flush_seconds_sum": "Time spent in commits.",
        "todod_sequence": "The last record's sequence.",
        "todod_log_bytes": "What the log uses on disk.",
        "todod_disk_free_bytes": "What the disk has left.",
        "todod_outbox_commands": "Open commands.",
        "todod_outbox_started": "Commands with an attempt under way.",
        "todod_outbox_parked": "Commands that wait for a person.",
        "todod_outbox_held": "Commands that are held.",
        "todod_late_ends": "Ends of commands that came too late.",
        "todod_snapshot_sequence": "The newest snapshot's sequence.",
        "todod_waiting_dispatches": "Dispatches that wait for the store.",
        "todod_connections": "Open connections.",
        "todod_connections_accepted": "Connections ever accepted.",
        "todod_connections_refused": "Connections refused.",
        "todod_calls": "Calls started.",
        "todod_received_bytes": "Bytes from clients.",
        "todod_sent_bytes": "Bytes to clients.",
        "todod_timeouts": "Connections closed because their client was too slow.",
        "todod_failed_calls": "Calls answered with an error, by its name.",
        "todod_subscribers": "Open subscriptions.",
        "todod_build_info": "Always 1; the labels say which todod this is.",
        "todod_dispatch": "From when the first dispatch of a batch came until all were answered, counted for each.",
        "todod_flush": "Time of a commit.",
        "todod_query": "Time of a question about the past or the state, waiting included.",
    ]
}

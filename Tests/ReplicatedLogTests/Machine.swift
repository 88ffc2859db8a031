import ChronicleLog
import DiskLog
import Etcd
import EtcdTesting
import FeatureCounter
import ReplicatedLog
import TestSupport

@testable import ChronicleStore

/// One of several machines that share a log, each with a store over its own copy.
struct Machine {
    let log: ReplicatedActionLog
    let store: Store<Counter>

    /// Opens the copy in a directory, joins the log, catches up and starts the store.
    init(
        _ node: String, of name: String, in directory: String, on cluster: EtcdCluster, clock: StoreClock = .system,
        requestTimeMax: Duration = .seconds(5), trimming: SharedLogTrimming = SharedLogTrimming()
    ) throws {
        let copy = try LMDBActionLog.open(
            directory: "\(directory)/\(node)", configuration: LogConfiguration(mapBytes: 64 << 20))
        try self.init(
            node, of: name, copy: copy, on: cluster, clock: clock, requestTimeMax: requestTimeMax, trimming: trimming)
    }

    init(
        _ node: String, of name: String, copy: any ReplicableLog, on cluster: EtcdCluster, clock: StoreClock = .system,
        requestTimeMax: Duration = .seconds(5), trimming: SharedLogTrimming = SharedLogTrimming(),
        etcd: EtcdOptions? = nil
    ) throws {
        log = try ReplicatedActionLog.open(
            copy,
            SharedLogOptions(
                name: name, node: node, etcd: etcd ?? cluster.options(requestTimeMax: requestTimeMax), trimming: trimming))
        let recovered = try RecoveryResult<Counter>(from: log, initial: Counter.State())
        store = Store(recovered, log: log, options: StoreOptions(build: 1, node: node, clock: clock))
    }

    /// Increments the counter and returns the sequence of the record.
    @discardableResult
    func count(_ action: Counter.Action = .increment, key: String? = nil) async throws(StoreError) -> UInt64 {
        try await store.dispatch(Dispatch([action], origin: 1_000, key: key)).sequences.lowerBound
    }

    /// The error of a dispatch, or `nil`.
    func error(of action: Counter.Action = .increment, key: String? = nil) async -> StoreError? {
        do {
            try await count(action, key: key)
            return nil
        } catch {
            return error
        }
    }

    /// Follows the log during a body.
    func following(_ body: () async throws -> Void) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await log.run(obstacle: { store.followingObstacle }) { store.followOthers() } }
            try await body()
            group.cancelAll()
        }
    }
}

/// Machines that share a log in a temporary directory, on their own members or on the shared ones.
struct Machines {
    let directory = TemporaryDirectory()
    let cluster: EtcdCluster
    let name: String
    let trimming: SharedLogTrimming

    init(on cluster: EtcdCluster? = nil, trimming: SharedLogTrimming = SharedLogTrimming()) throws {
        self.cluster = try cluster ?? EtcdCluster.shared.get()
        self.trimming = trimming
        name = directory.path.split(separator: ".").last.map(String.init) ?? ""
    }

    func machine(
        _ node: String, clock: StoreClock = .system, requestTimeMax: Duration = .seconds(5)
    ) throws -> Machine {
        try Machine(
            node, of: name, in: directory.path, on: cluster, clock: clock, requestTimeMax: requestTimeMax, trimming: trimming)
    }
}

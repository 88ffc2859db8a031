import ChronicleLog
import ChronicleStore
import ChronicleValues
import DiskLog
import LinuxService
import TimeTravel

#if Cluster
    import ReplicatedLog
#endif

struct OpenedLog<App: DaemonApp> {
    let log: any ActionLog
    let mode: DaemonFacts.Mode
    let damage: ActionLogError?
    let shared: SharedLog?
    private let node: String
    private let snapshots: SnapshotStore?
    /// Used even if this start does not trust snapshots: each one read is checked against the log.
    private let pastSnapshots: SnapshotStore?
    private let initial: App.State
    private let program: Program

    init(
        _ program: Program, _ options: DaemonOptions, _ configuration: Configuration, _ environment: [String: String]
    ) throws(StartFailure) {
        self.program = program
        initial = try options[.state].map { path throws(StartFailure) in try App.state(inFile: path) } ?? App.State()
        let cluster = try SharedLogOptions(program, configuration, environment)
        node = cluster?.node ?? ""
        if options.has(.ephemeral) {
            guard cluster == nil else {
                throw StartFailure(.usage, "--ephemeral can't be used with a shared log, which is kept on disk.")
            }
            log = InMemoryActionLog(epoch: UInt64(max(1, SystemIdentity.now())))
            (mode, damage, snapshots, pastSnapshots, shared) = (.ephemeral, nil, nil, nil, nil)
            return
        }
        guard cluster == nil || !options.has(.state) else {
            throw StartFailure(.usage, "--state can't be used with a shared log: all machines share its first state.")
        }
        do throws(ActionLogError) {
            let log = LogConfiguration(mapBytes: configuration[Setting.mapBytes])
            pastSnapshots = SnapshotStore(directory: configuration.dataDirectory)
            if options.has(.inspect) {
                let opened = try LMDBActionLog.openReadOnly(directory: configuration.dataDirectory, configuration: log)
                (self.log, mode, damage, snapshots, shared) = (opened, .inspect, opened.damage, nil, nil)
            } else {
                let copy = try LMDBActionLog.open(directory: configuration.dataDirectory, configuration: log)
                if cluster == nil, let place = copy.place {
                    throw ActionLogError.contradiction(
                        what:
                            "the log in \(configuration.dataDirectory) is a copy of the shared log \(place.name): "
                            + "set \(program.name(of: Setting.cluster)), or make it a separate log with \(program.name) --detach"
                    )
                }
                shared = try cluster.map { cluster throws(ActionLogError) in
                    try SharedLog.open(copy, cluster) { (try? App.Action(canonical: $0)) != nil }
                }
                self.log = shared?.asLog ?? copy
                (mode, damage, snapshots) = (.normal, nil, SnapshotStore(directory: configuration.dataDirectory))
                snapshots?.removeOutdated(by: copy.redactions)
            }
        } catch {
            throw StartFailure(error, directory: configuration.dataDirectory, of: program)
        }
    }

    init(of store: Store<App>, _ program: Program) {
        let directory = (store.log as? LMDBActionLog)?.directory
        (log, initial, self.program) = (store.log, store.initial, program)
        (mode, damage, shared, node, snapshots) = (directory == nil ? .ephemeral : .normal, nil, nil, "", nil)
        pastSnapshots = directory.map { SnapshotStore(directory: $0) }
    }

    /// Appends the records of other machines since this one stopped, as far as a member answers now.
    /// - Returns: why this machine can't follow the others and only shows its copy; `nil` if it can.
    func catchUp(progress: (UInt64, UInt64) -> Void) throws(ActionLogError) -> ActionLogError? {
        guard let shared else { return nil }
        do throws(ActionLogError) {
            while let news = try shared.follow() {
                // An older snapshot would keep the redacted texts until the next one replaces it.
                if case .redacted(let first) = news { snapshots?.removeAll(from: first) }
                progress(shared.head.sequence, shared.head.sequence)
            }
            return nil
        } catch {
            switch error {
            // The rest follows once the cluster answers, or there is space for it.
            case .unavailable, .storageFull: return nil
            case .contradiction where shared.head.sequence > 0: return error
            default: throw error
            }
        }
    }

    func recover(progress: (UInt64, UInt64) -> Void) throws(StoreError) -> RecoveryResult<App> {
        try RecoveryResult(
            from: log, snapshots: snapshots, fingerprint: program.fingerprint, initial: initial,
            onDamage: mode == .inspect ? .stopBefore : .fail, progress: progress)
    }

    func store(_ recovered: RecoveryResult<App>, _ configuration: Configuration, _ fault: Fault, _ heads: HeadLogger) -> Store<
        App
    > {
        Store(
            recovered, log: log,
            options: StoreOptions(
                build: program.build, node: node, fingerprint: program.fingerprint,
                access: mode == .inspect ? .readOnly : .readWrite,
                freeBytesMin: configuration[Setting.freeBytesMin],
                stateBytesMax: configuration[Setting.stateBytesMax] > 0
                    ? configuration[Setting.stateBytesMax] : min(MemoryLimit.current / 4, Setting.stateBytesDefaultMax),
                crashPoints: .ofProcess, onUnknownOutcome: fault.report, onSnapshot: heads.tell),
            snapshots: snapshots)
    }

    func history(of store: Store<App>, _ configuration: Configuration) throws -> History<App> {
        History(
            log, snapshots: pastSnapshots, fingerprint: program.fingerprint,
            base: try PastState(beginningOf: log, initial: initial),
            queries: store.queries, freeBytesMin: configuration[Setting.freeBytesMin],
            present: { store.present })
    }
}

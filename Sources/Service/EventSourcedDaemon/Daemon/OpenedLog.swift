import DiskLog
import LinuxService
import Records
import StoreRuntime
import TimeTravel

/// The log as this start wants it: on disk, on disk for looking at, or in memory.
struct OpenedLog<App: DaemonApp> {
    let log: any ActionLog
    let mode: DaemonFacts.Mode
    /// Where the log is damaged, when it is opened for looking at.
    let damage: ActionLogError?
    private let snapshots: SnapshotStore?
    /// The same, also where a start trusts none of them: each that is read is held against the log.
    private let pastSnapshots: SnapshotStore?
    private let initial: App.State
    private let program: Program

    init(_ program: Program, _ options: DaemonOptions, _ configuration: Configuration) throws(StartFailure) {
        self.program = program
        initial = try options.state.map { path throws(StartFailure) in try App.state(inFile: path) } ?? App.State()
        if options.ephemeral {
            log = InMemoryActionLog(epoch: UInt64(max(1, SystemIdentity.now())), clock: { SystemIdentity.bootClock() })
            (mode, damage, snapshots, pastSnapshots) = (.ephemeral, nil, nil, nil)
            return
        }
        do throws(ActionLogError) {
            let log = LogConfiguration(mapBytes: configuration[Setting.mapBytes])
            pastSnapshots = SnapshotStore(directory: configuration.dataDirectory)
            if options.inspect {
                let opened = try LMDBActionLog.openReadOnly(directory: configuration.dataDirectory, configuration: log)
                (self.log, mode, damage, snapshots) = (opened, .inspect, opened.damage, nil)
            } else {
                self.log = try LMDBActionLog.open(directory: configuration.dataDirectory, configuration: log)
                (mode, damage, snapshots) = (.normal, nil, SnapshotStore(directory: configuration.dataDirectory))
            }
        } catch {
            throw StartFailure(error, directory: configuration.dataDirectory, of: program)
        }
    }

    func recover(progress: (UInt64, UInt64) -> Void) throws(StoreError) -> Recovered<App> {
        try Recovered(
            from: log, snapshots: snapshots, fingerprint: program.fingerprint, initial: initial,
            onDamage: mode == .inspect ? .stopBefore : .fail, progress: progress)
    }

    func store(
        _ recovered: Recovered<App>, _ configuration: Configuration, _ fault: Fault, _ heads: HeadJournal
    ) -> Store<App> {
        Store(
            recovered, log: log,
            options: StoreOptions(
                build: program.build, fingerprint: program.fingerprint, access: mode == .inspect ? .readOnly : .readWrite,
                freeBytesMin: configuration[Setting.freeBytesMin],
                commandsPerMinuteMax: configuration[Setting.commandsPerMinuteMax], crashPoints: .ofProcess,
                onUnknownOutcome: fault.report,
                onSnapshot: heads.tell),
            snapshots: snapshots)
    }

    /// All states that the log went through, read on the query thread of its store.
    func history(of store: Store<App>, _ configuration: Configuration) throws -> History<App> {
        History(
            log, snapshots: pastSnapshots, fingerprint: program.fingerprint,
            base: try PastState(beginningOf: log, initial: initial),
            queries: store.queries, freeBytesMin: configuration[Setting.freeBytesMin],
            present: { store.present })
    }
}

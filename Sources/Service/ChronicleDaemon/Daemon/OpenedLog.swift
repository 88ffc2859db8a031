import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleValues
import CommandRunning
import DiskLog
import Glibc
import LinuxService
import Logging
import TimeTravel
import TodoAPI
import Varlink

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
    func catchUp(progress: (UInt64) -> Void) throws(ActionLogError) -> ActionLogError? {
        guard let shared else { return nil }
        do throws(ActionLogError) {
            while let news = try shared.follow() {
                // An older snapshot would keep the redacted texts until the next one replaces it.
                if case .redacted(let first) = news { snapshots?.removeAll(from: first) }
                progress(shared.head.sequence)
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

    func store(
        _ recovered: RecoveryResult<App>, _ configuration: Configuration, _ fault: OneShotEvent<StartFailure>, _ heads: HeadLogger
    ) -> Store<App> {
        Store(
            recovered, log: log,
            options: StoreOptions(
                build: program.build, node: node, fingerprint: program.fingerprint,
                access: mode == .inspect ? .readOnly : .readWrite,
                freeBytesMin: configuration[Setting.freeBytesMin],
                stateBytesMax: configuration[Setting.stateBytesMax] > 0
                    ? configuration[Setting.stateBytesMax] : min(MemoryLimit.current / 4, Setting.stateBytesDefaultMax),
                crashPoints: .ofProcess,
                onUnknownOutcome: { what in
                    fault.open(
                        StartFailure(
                            .inputOutput,
                            "It is unknown what is on disk: \(what). Acknowledged changes are; retry the others with their keys.")
                    )
                }, onSnapshot: heads.tell),
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

extension DaemonApp {
    /// Reads a state from a file, as printed by `todoctl state --json`.
    fileprivate static func state(inFile path: String) throws(StartFailure) -> State {
        let value: Value
        do {
            value = try Value(parsing: FileContent.bytes(of: path, max: 1 << 30))
        } catch let error as SystemError {
            throw StartFailure(.configuration, "\(path) can't be read: \(error).")
        } catch {
            throw StartFailure(.configuration, "\(path) is not a state: \(error).")
        }
        do {
            // Accepts the reply with its sequence, or the state alone.
            return try State(value["state"] ?? value)
        } catch {
            throw StartFailure(.configuration, "\(path) is not a state: \(error.path): \(error.message)")
        }
    }
}

extension ForkMessage {
    /// Reads the origin of a fork; `nil`: the log is no fork.
    /// - Throws: if the file can't be read: a fork must not be mistaken for its origin.
    init?(beside directory: String) throws(StartFailure) {
        let path = "\(directory)/\(Self.fileName)"
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try FileContent.bytes(of: path, max: Self.fileBytesMax, flags: O_NOFOLLOW | O_NONBLOCK)
        } catch {
            // Any other error means that the file exists.
            guard error.code != ENOENT else { return nil }
            bytes = nil
        }
        do throws(APIError) { self = try ForkMessage(file: bytes) } catch {
            throw StartFailure(
                .damagedData,
                """
                \(path), the origin of this fork, can't be read. \
                To keep its records as a separate log, start with --restore \(directory) --data NEW-DIRECTORY.
                """)
        }
    }
}

extension StartFailure {
    init(_ error: ActionLogError, directory: String, of program: Program) {
        switch error {
        case .damaged, .undecodable, .newerFormat:
            self.init(.damagedData, "\(error). \(Self.remedy(of: error, directory, program))")
        case .locked(0): self.init(.tryAgain, "\(error). Stop that process, or choose another --data.".capitalizedFirst)
        case .locked(let pid):
            self.init(
                .tryAgain, "\(directory) is in use by process \(pid), another \(program.name). Stop it, or choose another --data."
            )
        case .noLog(let directory): self.init(.configuration, "There is no log in \(directory).")
        case .notPermitted: self.init(.notPermitted, "\(error).")
        // Only another configuration or another log helps.
        case .contradiction(let what): self.init(.configuration, "\(what.capitalizedFirst).")
        case .networkFileSystem, .mapTooSmall, .keyLength: self.init(.configuration, "\(error).")
        case .unavailable, .inDoubt, .othersFirst, .flushTooLarge: self.init(.tryAgain, "\(error).")
        case .storageFull, .unknownOutcome, .pruned, .readersFull, .io: self.init(.inputOutput, "\(error).")
        }
    }

    private static func remedy(of error: ActionLogError, _ directory: String, _ program: Program) -> String {
        if (try? LMDBActionLog.openReadOnly(directory: directory)) != nil {
            return "To read what is before it: \(program.name) --inspect --data \(directory)"
        }
        if case .newerFormat = error { return "Start the version that wrote it." }
        return "To continue with a backup: \(program.name) --restore BACKUP --data NEW"
    }

    init(_ error: StoreError, of program: Program) {
        switch error {
        case .damaged(let sequence, let what):
            self.init(
                .damagedData,
                "The log is damaged at record \(sequence): \(what). To read what is before it: \(program.name) --inspect")
        case .undecodable(let sequence, let what):
            self.init(
                .damagedData,
                "Record \(sequence) is intact, but \(program.name) \(program.version) can't read it: \(what). "
                    + "Start the version that wrote it. To read what is before it: \(program.name) --inspect")
        default: self.init(.inputOutput, "The log can't be read. \(APIError(error).message)")
        }
    }
}

extension Logger {
    func note(_ note: RunnerNote) {
        var metadata: Logger.Metadata = ["command": "\(note.name)", "id": "\(note.id)", "sequence": "\(note.id.sequence)"]
        if !note.reason.isEmpty { metadata["reason"] = "\(note.reason)" }
        switch note.event {
        case .retrying(let pause):
            metadata["after"] = "\(pause.components.seconds) s"
            notice("An attempt at a command failed", metadata: metadata)
        case .failed: warning("A command failed", metadata: metadata)
        case .parked: warning("A command waits for a person", metadata: metadata)
        case .late: info("A command returned something after its end", metadata: metadata)
        case .waitingForRoom: warning("The end of a command waits until the log accepts it", metadata: metadata)
        }
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

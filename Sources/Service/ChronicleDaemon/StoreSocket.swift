public import Chronicle
import ChronicleLog
public import ChronicleStore
import DiskLog
import Glibc
public import LinuxService
import Logging
public import ServiceLifecycle

/// Serves a store that another program owns, so that `todoctl` works with it: state, watch, log, undo, blame, what-if and the rest.
///
/// ```swift
/// let store = try Store<LinkApp>(of: program, in: directory)
/// let socket = StoreSocket(store, of: program, at: path, running: LinkChecker())
/// try await ServiceGroup(services: [socket], gracefulShutdownSignals: [.sigterm], logger: logger).run()
/// await store.stop()
/// ```
///
/// The program keeps what a daemon has besides: its command line and its configuration, and the stop of the store after the service. The
/// settings of a daemon have their defaults. All users who may connect to the socket may read and dispatch; its mode is 0600.
public struct StoreSocket<App: DaemonApp>: Service {
    private let store: Store<App>
    private let program: Program
    private let path: String
    private let commands: @Sendable (_ ready: OneShotEvent<Void>, Logger) -> [DaemonPart]

    /// Serves a store without running its commands: they stay open until something runs them.
    /// - Parameters:
    ///   - program: the name and the version that clients show.
    ///   - path: the path of the socket; absolute, at most 107 bytes. Missing directories are created with mode 0700.
    public init(_ store: Store<App>, of program: Program, at path: String) {
        (self.store, self.program, self.path) = (store, program, path)
        commands = { _, _ in [] }
    }

    public init<Target: CommandTarget>(_ store: Store<App>, of program: Program, at path: String, running target: Target)
    where Target.Command == App.Command, Target.Action == App.Action {
        (self.store, self.program, self.path) = (store, program, path)
        commands = { ready, logger in [.commands(of: store, by: target, after: ready, logger: logger)] }
    }

    /// Serves until a graceful shutdown, or until the task is cancelled; removes the socket at the end.
    /// - Throws: `StartFailure` if the path can't be a socket, or another process listens there.
    public func run() async throws {
        let logger = Logger(label: program.name)
        let opened = OpenedLog(of: store, program)
        let configuration = Configuration(
            dataDirectory: (store.log as? LMDBActionLog)?.directory ?? "", socket: path, access: AccessList(owner: geteuid()))
        let served = try ServedStore(store, opened, of: program, configuration, logger: logger)
        defer { served.end() }
        let sockets = try Sockets(at: path)
        defer { sockets.remove() }
        let ready = OneShotEvent<Void>()
        let parts = served.parts(on: sockets, with: commands(ready, logger), accepting: ready, after: ready)
        try await DaemonServices.group(parts, stopSeconds: configuration[Setting.stopSeconds], signals: [], logger: logger).run()
    }
}

extension Store where App: DaemonApp {
    /// Opens the store of a program, with its log and snapshots in a directory that is created if necessary.
    ///
    /// If the content of the disk is ever unknown, every further dispatch fails. The program should then exit; its next start reads the
    /// log.
    /// - Parameters:
    ///   - directory: the directory of the log; `nil` keeps it in memory.
    ///   - initial: the state before the first action; it must be the one that an existing log began with.
    /// - Throws: `CodingMistake` if a type does not decode to its encoded value, `ActionLogError` if the log can't be opened or is a copy
    ///   of a shared one, `StoreError` if it can't be read.
    public init(of program: Program, in directory: String?, initial: App.State = App.State()) throws {
        try App.checkCodings()
        var (log, snapshots): (any ActionLog, SnapshotStore?) = (InMemoryActionLog(), nil)
        if let directory {
            let disk = try LMDBActionLog.open(directory: directory)
            if let place = disk.place {
                throw ActionLogError.contradiction(what: "\(directory) is a copy of the shared log \(place.name)")
            }
            (log, snapshots) = (disk, SnapshotStore(directory: directory))
            snapshots?.removeOutdated(by: disk.redactions)
        }
        self.init(
            try RecoveryResult(from: log, snapshots: snapshots, fingerprint: program.fingerprint, initial: initial), log: log,
            options: StoreOptions(build: program.build, fingerprint: program.fingerprint), snapshots: snapshots)
    }
}

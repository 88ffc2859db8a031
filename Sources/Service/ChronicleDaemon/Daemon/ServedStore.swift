import ChronicleStore
import Glibc
import LinuxService
import Logging
import TimeTravel
import TodoAPI
import Varlink
import VarlinkNIO

/// A store with its history, service and server, for the daemon or another program's `StoreSocket`.
struct ServedStore<App: DaemonApp> {
    let history: History<App>
    let service: DaemonService<App>
    let admission: AuthorizationMiddleware
    let server: VarlinkServer
    private let opened: OpenedLog<App>
    private let debugging: Debugging<App>
    private let metrics: DaemonMetrics<App>
    private let configuration: Configuration
    private let logger: Logger

    /// - Parameters:
    ///   - folded: number of records that the start folded, for the metrics; `time` is how long it took.
    ///   - served: damage of the log, if less is served than it contains.
    init(
        _ store: Store<App>, _ opened: OpenedLog<App>, of program: Program, _ configuration: Configuration,
        folded: UInt64 = 0, in time: Duration = .zero, served: Verification.Damage? = nil, fork: ForkMessage? = nil,
        logger: Logger
    ) throws {
        (self.opened, self.configuration, self.logger) = (opened, configuration, logger)
        metrics = DaemonMetrics(of: program, store: store, shared: opened.shared, folded: folded, in: time)
        let facts = DaemonFacts(
            version: program.version, mode: opened.mode, started: StoreClock.system.wall(),
            logBytesAtStart: store.status.logBytes, damage: opened.damage,
            served: opened.damage.map { Verification.Damage($0, else: .ends) } ?? served, fork: fork,
            subscribers: Subscribers(
                connectionsMax: configuration[Setting.connectionsMax],
                connectionsPerUserMax: configuration[Setting.connectionsPerUserMax]))
        history = try opened.history(of: store, configuration)
        // The history reads the store, so the store must not hold it.
        store.listenToRedactions { [weak history] in history?.forget() }
        debugging = Debugging(of: store, history)
        service = DaemonService(
            store: store, history: history, files: HistoryFiles(opened, configuration), facts: facts, metrics: metrics,
            debugging: debugging, refusals: Refusals(logger), names: ServedNames(of: program) { App.child(of: $0) })
        admission = service.admission(configuration.access)
        server = try Self.server(for: admission, of: program, configuration)
        metrics.serve(server)
    }

    /// Breaks the reference cycle of the server and its metrics after serving.
    func end() { metrics.serve(nil) }

    /// The parts that serve the store, in start order; they stop in reverse.
    ///
    /// - Parameters:
    ///   - others: the parts that run commands and write the log's head; not used if the log is only inspected.
    ///   - accepting: opened when the sockets accept connections.
    ///   - ready: background work waits for it.
    func parts(on sockets: Sockets, with others: [DaemonPart], accepting: OneShotEvent, after ready: OneShotEvent) -> [DaemonPart]
    {
        var parts = [DaemonPart.debugLog(of: debugging)]
        if opened.mode != .inspect {
            // Stops after the commands, to process their last records.
            parts.append(.indexingPaths(of: history, after: ready))
            parts += others
            parts.append(.fillingGaps(of: history, after: ready, logger: logger))
        }
        return parts + [.serving(server, on: sockets, stopSeconds: configuration[Setting.stopSeconds], accepting: accepting)]
    }

    private static func server(
        for handler: AuthorizationMiddleware, of program: Program, _ configuration: Configuration
    ) throws -> VarlinkServer {
        let names = handler.names
        let description = try ServiceDescription(
            vendor: "todod", product: program.name, version: program.version, url: "https://varlink.org",
            interfaces: names.texts + FeatureInterfaces<App>(names.interfaces).texts)
        let errors = VarlinkErrors(
            tooManyConnections: names.error(.tooManyConnections), stopping: names.error(.stopping),
            failed: names.error(.unreadable(message: "Reading failed; the daemon's log says why.")))
        return VarlinkServer(
            handler: handler, service: description, errors: errors,
            limits: VarlinkLimits {
                $0.connectionsMax = configuration[Setting.connectionsMax]
                $0.connectionsPerUserMax = configuration[Setting.connectionsPerUserMax]
                $0.connection.frameBytesMax = configuration[Setting.frameBytesMax]
                $0.connection.outboundBytesMax = configuration[Setting.outboundBytesMax]
                $0.stalledReaderSecondsMax = Double(configuration[Setting.stalledReaderSeconds])
            })
    }
}

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
    let service: DaemonService<App>
    let server: VarlinkServer
    private let configuration: Configuration
    private let logger: Logger

    init(
        _ store: Store<App>, _ opened: OpenedLog<App>, of program: Program, _ configuration: Configuration,
        folded: UInt64 = 0, in time: Duration = .zero, served: Verification.Damage? = nil, fork: ForkMessage? = nil,
        logger: Logger
    ) throws {
        (self.configuration, self.logger) = (configuration, logger)
        let facts = DaemonFacts(
            version: program.version, mode: opened.mode, started: StoreClock.system.wall(),
            logBytesAtStart: store.status.logBytes, damage: opened.damage,
            served: opened.damage.map { Verification.Damage($0, else: .ends) } ?? served, fork: fork,
            subscribers: Subscribers(
                connectionsMax: configuration[Setting.connectionsMax],
                connectionsPerUserMax: configuration[Setting.connectionsPerUserMax]))
        let history = try opened.history(of: store, configuration)
        // The history reads the store, so the store must not hold it.
        store.listenToRedactions { [weak history] in history?.forget() }
        service = DaemonService(
            store: store, history: history, files: HistoryFiles(opened, configuration), facts: facts,
            metrics: DaemonMetrics(of: program, store: store, shared: opened.shared, folded: folded, in: time),
            refusals: Refusals(logger), names: ServedNames(of: program) { App.child(of: $0) })
        server = try Self.server(for: service.admission(configuration.access), of: program, configuration)
        service.daemonMetrics.serve(server)
    }

    /// Breaks the reference cycle of the server and its metrics after serving.
    func end() { service.daemonMetrics.serve(nil) }

    /// The parts that serve the store, in start order; they stop in reverse.
    ///
    /// - Parameters:
    ///   - others: the parts that run commands and write the log's head; not used if the log is only inspected.
    ///   - accepting: opened when the sockets accept connections.
    ///   - ready: background work waits for it.
    func parts(
        on sockets: Sockets, with others: [DaemonPart], accepting: OneShotEvent<Void>, after ready: OneShotEvent<Void>
    ) -> [DaemonPart] {
        var parts = [DaemonPart.debugLog(of: service.debugging)]
        if service.facts.mode != .inspect {
            // Stops after the commands, to process their last records.
            parts.append(.indexingPaths(of: service.history, after: ready))
            parts += others
            parts.append(.fillingGaps(of: service.history, after: ready, logger: logger))
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
                $0.connection.outboundBytesMax = configuration[Setting.outboundBytesMax]
                $0.stalledReaderSecondsMax = Double(configuration[Setting.stalledReaderSeconds])
            })
    }
}

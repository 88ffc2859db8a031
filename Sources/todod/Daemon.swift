import ActionLogs
import AppFeature
import DaemonProcess
import Effects
import Glibc
import Logging
import ServiceLifecycle
import StoreRuntime
import TodoAPI
import Varlink
import VarlinkNIO

/// Puts the daemon together: lock, log, fold, socket, ready.
struct Daemon {
    private let resolved: ResolvedConfiguration
    private let environment: [String: String]
    private let options: DaemonOptions
    private let notifier: ServiceNotifier
    private let threshold: LogThreshold
    private let logger: Logger
    private var configuration: Configuration { resolved.configuration }

    init(
        _ options: DaemonOptions, _ resolved: ResolvedConfiguration, _ environment: [String: String], _ output: LogOutput
    ) throws(StartFailure) {
        self.options = options
        self.resolved = resolved
        self.environment = environment
        notifier = ServiceNotifier(environment: environment)
        DaemonServices.ignoreBrokenPipes()
        DaemonServices.raiseDescriptorLimit()
        threshold = LogThreshold(resolved.configuration.logLevel)
        DaemonLogHandler.bootstrap(output: output, threshold: threshold)
        logger = Logger(label: "todod")
    }

    /// Serves until it is told to stop.
    func run() async throws {
        // Before anything is opened: a source that can't be used is a matter of configuration.
        let target = try AppTarget.live(configuration, environment)
        let fault = Fault()
        let opened = try OpenedLog(options, configuration)
        let start = ContinuousClock.now
        let recovered = try recover(opened, since: start)
        if recovered.damage == nil, opened.damage == nil { removeCutOffArchives(opened) }
        let store = opened.store(recovered, configuration, options, fault)
        let metrics = DaemonMetrics(store: store, folded: recovered.folded, in: ContinuousClock.now - start)
        let facts = DaemonFacts(
            version: Version.text, mode: opened.mode, started: StoreClock.system.wall(), logBytesAtStart: store.status.logBytes,
            damage: opened.damage)
        let timeline = try opened.timeline(of: store)
        let debugging = Debugging(of: store, timeline)
        let files = HistoryFiles(opened, configuration)
        if let path = options.replay { try await replay(path, into: store, opened.log) }
        try await loadWhenEmpty(store, opened.mode)
        let service = TodoService(
            store: store, timeline: timeline, files: files, facts: facts, access: configuration.access, metrics: metrics,
            debugging: debugging, logger: logger)
        let server = try makeServer(service)
        metrics.serve(server)

        let sockets = try Sockets(configuration, environment)
        defer { sockets.remove() }
        let (accepting, trapping, ready) = (Gate(), Gate(), Gate())
        var services: [any Service] = [fault, StoreService(store: store), DebugLog(of: debugging)]
        // A log that is looked at runs nothing.
        if opened.mode != .inspect {
            services.append(Commands(of: store, target: target, after: ready, logger: logger))
            services.append(GapFilling(of: timeline, after: ready, logger: logger))
        }
        let serving = SocketService(
            server: server, listeners: sockets.listeners, stopSeconds: configuration.stopSeconds, accepting: accepting)
        services.append(serving)
        if let watchdog = Watchdog(
            environment: environment, pid: getpid(), notifier: notifier,
            probe: {
                await server.probe()
                await store.probe()
            })
        {
            services.append(watchdog)
        }
        let reload = Reload(options: options, resolved: resolved, environment: environment, threshold: threshold, logger: logger)
        services.append(
            Reloading(notifier: notifier, onTrap: trapping.open, ready: ready.wait) {
                if let access = reload.read() { server.replaceHandler(with: TodoService(service, access: access)) }
                return "Serving \(configuration.socket)"
            })
        services.append(
            Announcement(notifier: notifier, greeting: greeting, say: DaemonServices.print, onReady: ready.open) {
                await accepting.wait()
                await trapping.wait()
            })
        services.append(StopLimit(stopSeconds: configuration.stopSeconds))
        // A daemon that serves nothing but connections it was handed has done its work when they are closed.
        let lasting = services.map { $0 is SocketService && !sockets.areListening ? $0 : LastingService($0) }
        logger.info("Serving", metadata: ["socket": "\(configuration.socket)", "sequence": "\(store.present.sequence)"])
        do {
            try await DaemonServices.group(lasting, stopSeconds: configuration.stopSeconds, logger: quiet).run()
        } catch {
            throw fault.known ?? error as? StartFailure ?? StartFailure(.inputOutput, "The daemon failed: \(error).")
        }
        if let known = fault.known { throw known }
        logger.info("Stopped", metadata: ["sequence": "\(store.present.sequence)"])
    }

    /// Tidies up after compactions that were cut off; the daemon can do without.
    private func removeCutOffArchives(_ opened: OpenedLog) {
        guard opened.mode == .normal else { return }
        do throws(ActionLogError) {
            for found in try CutOffArchives(log: opened.log, directory: configuration.dataDirectory).remove() {
                guard let error = found.kept else {
                    logger.notice("Removed the archive of a compaction that was cut off", metadata: ["archive": "\(found.name)"])
                    continue
                }
                logger.warning(
                    "Keeping the archive of a compaction that was cut off: it holds records that can't be read in the log",
                    metadata: ["archive": "\(found.name)", "error": "\(error)"])
            }
        } catch {
            logger.warning("Archives of compactions that were cut off may be left", metadata: ["error": "\(error)"])
        }
    }

    private func recover(_ opened: OpenedLog, since start: ContinuousClock.Instant) throws(StartFailure) -> Recovered<App> {
        var progress = FoldProgress(last: opened.log.head.sequence, now: start)
        do {
            let recovered = try opened.recover { sequence, _ in
                guard let line = progress.line(after: sequence, now: .now) else { return }
                notifier.extendTimeout(by: FoldProgress.extensionPerLine, status: line)
            }
            if recovered.folded > 0 {
                logger.info(
                    "Folded the log", metadata: ["records": "\(recovered.folded)", "from": "\(recovered.snapshot.sequence)"])
            }
            if let damage = recovered.damage.map({ "\($0)" }) ?? opened.damage.map({ "\($0)" }) {
                logger.error("Serving what is before the damage", metadata: ["damage": "\(damage)"])
            }
            return recovered
        } catch {
            throw StartFailure(error)
        }
    }

    /// Begins with somebody's history, or does not begin.
    private func replay(_ path: String, into store: Store<App>, _ log: any ActionLog) async throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StartFailure(.inputOutput, "\(path) can't be read: \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        let importing = Importing(store: store, log: log)
        let verdict = try await importing.check(descriptor)
        let reasons = verdict.reasons.joined(separator: " ")
        guard verdict.word != .impossible else { throw StartFailure(.damagedData, "\(path) can't be replayed. \(reasons)") }
        if !verdict.reasons.isEmpty { logger.notice("\(reasons)", metadata: ["file": "\(path)"]) }
        try await importing.write(descriptor)
    }

    /// Has todos loaded if that is configured and nothing ever happened; the record of it is why it happens once.
    private func loadWhenEmpty(_ store: Store<App>, _ mode: DaemonFacts.Mode) async throws {
        guard configuration.loadsWhenEmpty, mode != .inspect, store.present.sequence == 0 else { return }
        _ = try await store.dispatch(Dispatch([.loadTodos], origin: geteuid()))
        logger.info("The log is empty: loading todos", metadata: ["source": "\(configuration.todoSource.text)"])
    }

    private func makeServer(_ service: TodoService) throws -> VarlinkServer {
        let description = try ServiceDescription(
            vendor: "todod", product: "todod", version: Version.text, url: "https://varlink.org", interfaces: Interfaces.all)
        let errors = VarlinkErrors(
            tooManyConnections: CallError(APIError.tooManyConnections), stopping: CallError(APIError.stopping),
            failed: CallError(APIError.unreadable(message: "Reading failed; the daemon's log says why.")))
        return VarlinkServer(
            handler: service, service: description, errors: errors,
            limits: VarlinkLimits(
                connectionsMax: configuration.connectionsMax, connectionsPerUserMax: configuration.connectionsPerUserMax,
                frameBytesMax: configuration.frameBytesMax, depthMax: configuration.depthMax,
                pipelinedCallsMax: configuration.pipelinedCallsMax, outboundBytesMax: configuration.outboundBytesMax,
                halfFrameSecondsMax: Double(configuration.halfFrameSeconds),
                stalledReaderSecondsMax: Double(configuration.stalledReaderSeconds)))
    }

    private var location: SocketLocation { SocketLocation(environment: { environment[$0] }, uid: geteuid()) }

    private var greeting: Greeting {
        Greeting(
            socket: configuration.socket, usualSockets: [location.user, SocketLocation.system],
            program: CommandLine.arguments.first ?? "", exists: { access($0, X_OK) == 0 })
    }

    // A start and a stop are one line each, and those are the daemon's own.
    private var quiet: Logger {
        var quiet = Logger(label: "services")
        quiet.logLevel = .error
        return quiet
    }
}

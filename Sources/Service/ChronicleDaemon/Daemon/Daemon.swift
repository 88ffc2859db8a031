import Chronicle
import ChronicleLog
import ChronicleStore
import Glibc
import LinuxService
import Logging
import ServiceLifecycle
import TimeTravel
import TodoAPI
import UnixSignals
import VarlinkNIO

struct Daemon<App: DaemonApp> {
    private let program: Program
    private let resolved: ResolvedConfiguration
    private let environment: [String: String]
    private let options: DaemonOptions
    private let notifier: ServiceNotifier
    private let threshold: LogThreshold
    private let logger: Logger
    private var configuration: Configuration { resolved.configuration }

    init(
        _ program: Program, _ options: DaemonOptions, _ resolved: ResolvedConfiguration, _ environment: [String: String],
        _ output: LogOutput
    ) {
        (self.program, self.options, self.resolved, self.environment) = (program, options, resolved, environment)
        notifier = ServiceNotifier(environment: environment)
        DaemonServices.ignoreBrokenPipes()
        DaemonServices.raiseDescriptorLimit()
        FreeMemory.giveBackLargeBlocks()
        threshold = LogThreshold(resolved.configuration[Setting.logLevel])
        DaemonLogHandler.bootstrap(output: output, threshold: threshold)
        logger = Logger(label: program.name)
    }

    /// Serves until the daemon is asked to stop.
    func run<Target: CommandTarget>(_ target: Target, beginningWith actions: [App.Action]) async throws
    where Target.Command == App.Command, Target.Action == App.Action {
        let fault = OneShotEvent<StartFailure>()
        let opened = try OpenedLog<App>(program, options, configuration, environment)
        let start = ContinuousClock.now
        if let shared = opened.shared { logger.tell(of: shared) }
        let recovered = try recover(opened, since: start)
        if recovered.damage == nil, opened.damage == nil, opened.mode == .normal {
            CutOffArchives(log: opened.log, directory: configuration.dataDirectory, logger: logger).remove()
        }
        let heads = HeadLogger(logger)
        let store = opened.store(recovered, configuration, fault, heads)
        let served = try ServedStore(
            store, opened, of: program, configuration, folded: recovered.folded, in: ContinuousClock.now - start,
            served: recovered.damage.flatMap(Verification.Damage.init),
            fork: options.has(.ephemeral) ? nil : ForkMessage(beside: configuration.dataDirectory), logger: logger)
        let (server, service, history) = (served.server, served.service, served.service.history)
        store.listenToFollowing { [logger] in logger.tell(ofObstacle: $0) }
        if let path = options[.replay] { try await replay(path, into: store, history) }
        if opened.mode != .inspect, store.present.sequence == 0, !actions.isEmpty { await begin(store, with: actions) }

        let sockets = try Sockets(program, configuration, environment)
        defer { sockets.remove() }
        let (accepting, trapping, ready) = (OneShotEvent<Void>(), OneShotEvent<Void>(), OneShotEvent<Void>())
        var parts = [DaemonPart.throwing(fault), .stopping(store)]
        let commands: [DaemonPart] =
            opened.shared?.parts(store, by: target, after: ready, logger: logger)
            ?? [.commands(of: store, by: target, after: ready, logger: logger)]
        parts += served.parts(
            on: sockets, with: commands + [.tellingHead(of: history, to: heads)], accepting: accepting, after: ready)
        if let interval = notifier.watchdogInterval(environment: environment, pid: getpid()) {
            parts.append(
                DaemonPart(name: "The watchdog") {
                    try await notifier.watch(every: interval) {
                        await server.probe()
                        await store.heartbeat()
                    }
                })
        }
        parts.append(
            DaemonPart(name: "The reload") {
                await reload(trapping: trapping, after: ready) { server.replaceHandler(with: service.admission($0)) }
            })
        parts.append(
            DaemonPart(name: "The ready notification") {
                try await notifier.announce(startMessage, say: DaemonServices.print) {
                    ready.open()
                    FreeMemory.giveBack()
                    FreeMemory.giveBackCode()
                } when: {
                    await accepting.wait()
                    await trapping.wait()
                }
            })
        let stopSeconds = configuration[Setting.stopSeconds]
        parts.append(DaemonPart(name: "The stop limit") { await DaemonServices.limitStop(toSeconds: stopSeconds) })
        logger.info(
            "Serving",
            metadata: ["socket": "\(configuration.socket)", "sequence": "\(store.present.sequence)"])
        do {
            try await DaemonServices.group(parts, stopSeconds: stopSeconds, logger: quiet).run()
        } catch {
            throw fault.value ?? error
        }
        if let known = fault.value { throw known }
        if opened.mode != .inspect { heads.tellEnd(store.present, of: opened.log) }
        logger.info("Stopped", metadata: ["sequence": "\(store.present.sequence)"])
    }

    private func recover(
        _ opened: OpenedLog<App>, since start: ContinuousClock.Instant
    ) throws(StartFailure) -> RecoveryResult<App> {
        var progress = FoldProgress(last: opened.log.head.sequence, now: start)
        func report(_ sequence: UInt64) {
            if let line = progress.line(after: sequence, now: .now) { notifier.extendTimeout(status: line) }
        }
        do throws(ActionLogError) {
            let obstacle = try opened.catchUp(progress: report)
            if let obstacle { logger.tell(ofObstacle: "\(obstacle)") }
        } catch {
            throw StartFailure(error, directory: configuration.dataDirectory, of: program)
        }
        do {
            let recovered = try opened.recover { sequence, _ in report(sequence) }
            if recovered.snapshot.sequence > 0 {
                logger.info(
                    "Started from a snapshot; only --verify checks the records before it",
                    metadata: ["snapshot": "\(recovered.snapshot.sequence)"])
            }
            let behind = StoreClock.system.behind(recovered.present.time)
            if behind > 0 {
                logger.warning(
                    "The log is ahead of the clock: until the clock catches up, each record is one microsecond after the previous one",
                    metadata: ["seconds": "\(behind / 1_000_000)"])
            }
            if recovered.folded > 0 {
                logger.info(
                    "Folded the log", metadata: ["records": "\(recovered.folded)", "from": "\(recovered.snapshot.sequence)"])
            }
            if let damage = recovered.damage.map({ "\($0)" }) ?? opened.damage.map({ "\($0)" }) {
                logger.error("Serving the records before the damage", metadata: ["damage": "\(damage)"])
            }
            return recovered
        } catch {
            throw StartFailure(error, of: program)
        }
    }

    /// Dispatches the initial actions of an empty log; if they are refused, the daemon still serves, and the next start retries.
    private func begin(_ store: Store<App>, with actions: [App.Action]) async {
        do {
            // If several machines start together, only one of them dispatches.
            _ = try await store.dispatch(Dispatch(actions, origin: geteuid(), expectedSequence: 0))
            logger.info("The log is empty: dispatched its initial actions")
        } catch StoreError.stale {
            logger.info("Another machine has dispatched the initial actions of the log")
        } catch {
            logger.warning(
                "The log stays empty; the next start tries again if nothing is logged until then",
                metadata: ["error": "\(sentence(of: error))"])
        }
    }

    private func replay(_ path: String, into store: Store<App>, _ history: History<App>) async throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        var byte: UInt8 = 0
        guard descriptor >= 0, pread(descriptor, &byte, 1, 0) >= 0 else {
            throw StartFailure(.configuration, "\(path) can't be read: \(String(cString: strerror(errno))).")
        }
        let importing = Importing(store: store, history: history)
        let verdict = try await importing.check(descriptor)
        let reasons = verdict.reasons.joined(separator: " ")
        guard verdict.word != .impossible else { throw StartFailure(.damagedData, "\(path) can't be replayed. \(reasons)") }
        if !verdict.reasons.isEmpty { logger.notice("\(reasons)", metadata: ["file": "\(path)"]) }
        try await importing.write(descriptor)
    }

    private var startMessage: StartMessage {
        // The client's default path, independent of the daemon's name.
        let location = SocketLocation(environment: { environment[$0] }, uid: geteuid())
        return StartMessage(
            program, socket: configuration.socket, usualSockets: [location.user, SocketLocation.system],
            path: CommandLine.arguments.first ?? "", exists: { access($0, X_OK) == 0 })
    }

    // The daemon itself logs one line for the start and one for the stop.
    private var quiet: Logger {
        var quiet = Logger(label: "services")
        quiet.logLevel = .error
        return quiet
    }
}

extension Daemon {
    /// Reloads the configuration on each SIGHUP: access and log level change at once, other settings at the next start.
    ///
    /// If the daemon's terminal is gone, SIGHUP stops the daemon.
    /// - Parameter trapping: opened when the signal no longer ends the process; readiness must not be reported earlier.
    private func reload(
        trapping: OneShotEvent<Void>, after ready: OneShotEvent<Void>, _ use: @escaping @Sendable (AccessList) -> Void
    ) async {
        let hadTerminal = Self.hasTerminal
        await cancelWhenGracefulShutdown {
            let signals = await UnixSignalsSequence(trapping: .sighup)
            trapping.open()
            await ready.wait()
            // Whether a file was ever read: its settings stay in effect if it disappears.
            var hasReadFile = resolved.hasFile
            for await _ in signals {
                if hadTerminal, !Self.hasTerminal {
                    kill(getpid(), SIGTERM)
                    continue
                }
                notifier.reloading()
                if let access = readAgain(&hasReadFile) { use(access) }
                notifier.ready(status: "Serving \(configuration.socket)")
            }
        }
    }

    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }

    /// The new access list; `nil`: the configuration is invalid, so nothing changes, and the log states the reason.
    private func readAgain(_ hasReadFile: inout Bool) -> AccessList? {
        let fresh: ResolvedConfiguration
        var file = options[.config]
        do throws(StartFailure) {
            let defaultPaths = DefaultPaths.ofProcess(program, environment)
            // A pipe is empty the second time, and an empty access list would admit all users.
            file = file ?? defaultPaths.configurationFile
            if let file, !ConfigurationFile.canBeReadAgain(file) {
                throw StartFailure(.configuration, "\(file) can't be read a second time: use a regular file.")
            }
            // Without the values that systemd read from the file at the start, which would hide its current content.
            let ownEnvironment = environment.filter { name, _ in
                guard let key = program.settings.named(name), case .file = resolved.origin(of: key) else { return true }
                return false
            }
            fresh = try options.configuration(of: program, environment: ownEnvironment, defaultPaths: defaultPaths)
            // A missing file may be in the middle of being replaced.
            if let file, !fresh.hasFile, hasReadFile {
                throw StartFailure(.configuration, "\(file) no longer exists; to set nothing, create an empty file.")
            }
            hasReadFile = hasReadFile || fresh.hasFile
        } catch {
            for line in error.message.split(separator: "\n") { logger.error("\(line)") }
            // The default file of a shell may differ from that of a unit.
            let named = file.map { " --config \(ShellWord.text(of: ProcessEnvironment.absolute($0)))" } ?? ""
            logger.error(
                "The configuration is invalid, so the previous one stays in effect; to check it: \(program.name) --check-config\(named)"
            )
            return nil
        }
        threshold.level = fresh.configuration[Setting.logLevel]
        let changeable: Set<Setting> = [.allow, Setting.logLevel.row]
        let later = program.settings.all.filter { key in
            !changeable.contains(key) && key.text(fresh.configuration) != key.text(configuration)
        }
        var metadata: Logger.Metadata = [
            "allow": "\(fresh.configuration.access.text)", "level": "\(fresh.configuration[Setting.logLevel].rawValue)",
        ]
        if !later.isEmpty { metadata["at-next-start"] = "\(later.map { program.settings.name(of: $0) }.joined(separator: ","))" }
        logger.notice("Read the configuration again", metadata: metadata)
        return fresh.configuration.access
    }
}

extension Logger {
    /// Logs why this machine has stopped following the others; `nil`: it follows again.
    fileprivate func tell(ofObstacle obstacle: String?) {
        guard let obstacle else { return notice("This machine follows the others again") }
        error("This machine does not follow the others, and shows only what it has", metadata: ["error": "\(obstacle)"])
    }
}

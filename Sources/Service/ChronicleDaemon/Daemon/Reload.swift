import Glibc
import LinuxService
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Reloads the configuration: access and log level change at once, other settings at the next start.
final class Reload: Sendable {
    private let program: Program
    private let options: DaemonOptions
    private let resolved: ResolvedConfiguration
    private let environment: [String: String]
    private let threshold: LogThreshold
    private let logger: Logger
    // Whether a file was ever read: its settings stay in effect if it disappears.
    private let hasReadFile: Atomic<Bool>

    init(
        program: Program, options: DaemonOptions, resolved: ResolvedConfiguration, environment: [String: String],
        threshold: LogThreshold, logger: Logger
    ) {
        (self.program, self.options, self.resolved, self.environment) = (program, options, resolved, environment)
        (self.threshold, self.logger) = (threshold, logger)
        hasReadFile = Atomic(resolved.hasFile)
    }

    private static let changeable: Set<Setting> = [.allow, Setting.logLevel.row]

    /// The new access list; `nil`: the configuration is invalid, so nothing changes, and the log states the reason.
    func read() -> AccessList? {
        let fresh: ResolvedConfiguration
        var file = options[.config]
        do throws(StartFailure) {
            let defaultPaths = DefaultPaths.ofProcess(program, environment)
            // A pipe is empty the second time, and an empty access list would admit all users.
            file = file ?? defaultPaths.configurationFile
            if let file, !ConfigurationFile.canBeReadAgain(file) {
                throw StartFailure(.configuration, "\(file) can't be read a second time: use a regular file.")
            }
            fresh = try options.configuration(of: program, environment: ownEnvironment, defaultPaths: defaultPaths)
            // A missing file may be in the middle of being replaced.
            if let file, !fresh.hasFile, hasReadFile.load(ordering: .relaxed) {
                throw StartFailure(.configuration, "\(file) no longer exists; to set nothing, create an empty file.")
            }
            if fresh.hasFile { hasReadFile.store(true, ordering: .relaxed) }
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
        let later = program.settings.all.filter { key in
            !Self.changeable.contains(key) && key.text(fresh.configuration) != key.text(resolved.configuration)
        }
        var metadata: Logger.Metadata = [
            "allow": "\(fresh.configuration.access.text)", "level": "\(fresh.configuration[Setting.logLevel].rawValue)",
        ]
        if !later.isEmpty { metadata["at-next-start"] = "\(later.map { program.settings.name(of: $0) }.joined(separator: ","))" }
        logger.notice("Read the configuration again", metadata: metadata)
        return fresh.configuration.access
    }

    /// The environment without the values that systemd read from the file at the start, which would hide its current content.
    private var ownEnvironment: [String: String] {
        environment.filter { name, _ in
            guard let key = program.settings.named(name), case .file = resolved.origin(of: key) else { return true }
            return false
        }
    }
}

/// Reloads the configuration on each SIGHUP; if the daemon's terminal is gone, SIGHUP stops the daemon.
struct Reloading: Service {
    private let notifier: ServiceNotifier
    private let onTrap: @Sendable () -> Void
    private let ready: @Sendable () async -> Void
    private let reload: @Sendable () -> String
    private let hadTerminal: Bool

    /// - Parameter onTrap: called when a signal no longer ends the process; readiness must not be reported earlier.
    init(
        notifier: ServiceNotifier, onTrap: @escaping @Sendable () -> Void, ready: @escaping @Sendable () async -> Void,
        reload: @escaping @Sendable () -> String
    ) {
        (self.notifier, self.onTrap, self.ready, self.reload) = (notifier, onTrap, ready, reload)
        hadTerminal = Self.hasTerminal
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            let signals = await UnixSignalsSequence(trapping: .sighup)
            onTrap()
            await ready()
            for await _ in signals {
                if hadTerminal, !Self.hasTerminal {
                    kill(getpid(), SIGTERM)
                    continue
                }
                notifier.reloading()
                notifier.ready(status: reload())
            }
        }
    }

    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }
}

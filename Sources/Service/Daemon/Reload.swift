import Logging

/// Reads the configuration again while the daemon runs: who may do what and how much is logged change at once, the rest at
/// the next start.
struct Reload: Sendable {
    let program: Program
    let options: DaemonOptions
    /// What is in force since the start.
    let resolved: ResolvedConfiguration
    let environment: [String: String]
    let threshold: LogThreshold
    let logger: Logger

    private static let changeable: Set<Setting> = [.allow, .logLevel]

    /// Who may do what from now on; nil when the configuration is wrong: then everything stays as it is, and the log says why.
    func read() -> AccessList? {
        let fresh: ResolvedConfiguration
        var file = options.config
        do throws(StartFailure) {
            let premises = Premises.ofProcess(program, environment)
            // A pipe is empty the second time, and an empty list of users would let everybody in.
            file = file ?? premises.configurationFile
            if let file, !ConfigurationFile.canBeReadAgain(file) {
                throw StartFailure(.configuration, "\(file) is no file that can be read again.")
            }
            fresh = try options.configuration(of: program, environment: ownEnvironment, premises: premises)
        } catch {
            for line in error.message.split(separator: "\n") { logger.error("\(line)") }
            // In a shell another file may be the default than in a unit.
            let named = file.map { " --config \(ShellWord.text(of: ProcessEnvironment.absolute($0)))" } ?? ""
            logger.error(
                "The configuration is wrong, so it stays as it was; to look at it: \(program.name) --check-config\(named)")
            return nil
        }
        threshold.level = fresh.configuration.logLevel
        let later = program.settings.all.filter { key in
            !Self.changeable.contains(key) && key.text(fresh.configuration) != key.text(resolved.configuration)
        }
        var metadata: Logger.Metadata = [
            "allow": "\(fresh.configuration.access.text)", "level": "\(fresh.configuration.logLevel.rawValue)",
        ]
        if !later.isEmpty { metadata["at-next-start"] = "\(later.map { program.settings.name(of: $0) }.joined(separator: ","))" }
        logger.notice("Read the configuration again", metadata: metadata)
        return fresh.configuration.access
    }

    /// The environment without what systemd took from the file at the start, which would hide what stands there now.
    private var ownEnvironment: [String: String] {
        environment.filter { name, _ in
            guard let key = program.settings.named(name), case .file = resolved.origin(of: key) else { return true }
            return false
        }
    }
}

import ChronicleStore
import LinuxService

#if Cluster
    import ReplicatedLog
#endif

public struct DaemonStart<App: DaemonApp, Target: CommandTarget>: Sendable
where Target.Command == App.Command, Target.Action == App.Action {
    let program: Program
    let options: DaemonOptions
    let environment: [String: String]
    let output: LogOutput
    let target: @Sendable (Configuration) throws(StartFailure) -> Target
    let firstActions: @Sendable (Configuration) -> [App.Action]

    public func run() async -> Int32 {
        do throws(CodingMistake) { try App.checkCodings() } catch {
            output.complain(StartFailure(.configuration, error.message))
            return ExitStatus.configuration.rawValue
        }
        if options.has(.printSettings) {
            DaemonServices.print(program.settings.file)
            return ExitStatus.stopped.rawValue
        }
        do {
            let resolved = try options.configuration(
                of: program, environment: environment, defaultPaths: .ofProcess(program, environment))
            let configuration = resolved.configuration
            if options.has(.checkConfig) {
                _ = try target(configuration)
                try SharedLogOptions(program, configuration, environment)?.check()
                DaemonServices.print(resolved.description)
            } else if options.has(.verify) {
                let check = try OfflineCheck<App>(of: program, configuration, from: options[.head])
                if !options.has(.looking) { return try check.inChild(options.has(.repair) ? ["--repair"] : []) }
                if options.has(.repair) { try await Repairing<App>(program: program, configuration: configuration).run() }
                try await check.run()
            } else if options.has(.detach) {
                try await Detaching(program: program, configuration: configuration, environment: environment).run()
            } else if let backup = options[.restore] {
                let restoring = Restoring<App>(program: program, configuration: configuration, output: output)
                try restoring.run(from: backup, until: options[.until])
                try await OfflineCheck<App>(of: program, configuration).run()
            } else {
                let daemon = Daemon<App>(program, options, resolved, environment, output)
                // Before anything is opened: an invalid target is a configuration error.
                let target = try target(configuration)
                // A given state replaces the initial actions.
                let first = options.has(.state) ? [] : firstActions(configuration)
                try await daemon.run(target, beginningWith: first)
            }
            return ExitStatus.stopped.rawValue
        } catch {
            let failure =
                error as? StartFailure ?? (error as? StoreError).map { StartFailure($0, of: program) }
                ?? StartFailure(.inputOutput, "The daemon failed: \(error).")
            output.complain(failure)
            return failure.status.rawValue
        }
    }
}

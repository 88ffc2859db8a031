import ArgumentParser
import DaemonProcess
import Effects
import Glibc

/// The daemon's command line: what is asked of it, and the status it ends with.
@main
struct Todod: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "todod",
        abstract: "Keeps your todos as a log of actions and serves them on a Unix socket.",
        usage: "todod [--data <directory>] [--socket <path>] [--config <file>]",
        discussion: """
            EXAMPLES:
              todod                                     in the foreground, on your own directories
              todod --check-config                      what is configured, and where from
              todod --data /tmp/try --socket /tmp/try.socket
              todod --inspect                           a damaged log, for reading
              todod --verify --data /var/lib/todod      is all as it was written, and does this version fold it alike?
              todod --restore /backup --data /tmp/new   a log from a backup; its commands are held
              todod --ephemeral --state state.json      a state to try things with; nothing is kept
              todod --ephemeral --replay history.jsonl  somebody's history, to look at
            """,
        version: Version.text)

    @OptionGroup var options: DaemonOptions

    func run() async throws {
        // What todod writes is for nobody else, wherever it is told to put it.
        umask(0o077)
        let environment = ProcessEnvironment.variables
        let output = LogOutput(environment: environment)
        defer { output.drain() }
        do {
            let premises = try Premises.ofProcess(environment)
            let resolved = try options.configuration(environment: environment, premises: premises)
            if options.checkConfig {
                _ = try AppTarget.live(resolved.configuration, environment)
                return DaemonProcess.DaemonServices.print(resolved.description)
            }
            if options.verify {
                let check = OfflineCheck(resolved.configuration)
                return options.looking ? try await check.look() : try check.watch()
            }
            if let backup = options.restore { return try await Restoring(resolved.configuration).run(from: backup) }
            let daemon = try Daemon(options, resolved, environment, output)
            try await daemon.run()
        } catch let silent as SilentExit {
            throw ExitCode(silent.status)
        } catch let failure as StartFailure {
            output.complain(failure)
            throw ExitCode(failure.status.rawValue)
        }
    }
}

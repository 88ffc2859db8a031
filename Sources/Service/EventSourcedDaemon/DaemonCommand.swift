import ArgumentParser
import Glibc
import LinuxService
import Logging
import StoreRuntime

/// The command line of a program.
struct DaemonCommand<Program: DaemonProgram>: ParsableCommand {
    static var configuration: CommandConfiguration {
        let program = Program.program
        let width = 42 - program.name.utf8.count
        let examples = [
            ("", "in the foreground, on your own directories"),
            ("--check-config", "what is configured, and where from"),
            ("--data /tmp/try --socket /tmp/try.socket", ""),
            ("--inspect --socket /tmp/inspect.socket", "a damaged log, for reading"),
            ("--verify --data /var/lib/\(program.name)", "is all as it was written, and does this version fold it alike?"),
            ("--verify --repair --data /var/lib/\(program.name)", "make again what the records tell of"),
            ("--rehearse --data /var/lib/\(program.name)", "before an update: does this version fold it as the other did?"),
            ("--restore /backup --data /tmp/new", "a log from a backup; its commands are held"),
            ("--restore /backup --until 1234 --data /tmp/new", "the same, as it was after record 1234"),
            ("--ephemeral --state state.json --socket /tmp/try.socket", "a state to try things with; nothing is kept"),
            ("--ephemeral --replay history.jsonl --socket /tmp/try.socket", "somebody's history, to look at"),
        ].map { words, meaning in
            let padding = meaning.isEmpty ? "" : String(repeating: " ", count: max(1, width - 1 - words.utf8.count)) + meaning
            return "  \(program.name) \(words)\(padding)"
        }
        return CommandConfiguration(
            commandName: program.name, abstract: program.abstract,
            usage: "\(program.name) [--data <directory>] [--socket <path>] [--config <file>]",
            discussion: "EXAMPLES:\n" + examples.joined(separator: "\n"), version: program.version)
    }

    @OptionGroup var options: DaemonOptions
}

extension DaemonProgram {
    /// Does what the command line asks for, and ends the process with the status that says how it went.
    ///
    /// Called for a program by its own type, so that all of the daemon is compiled for its app.
    @concurrent public static func main() async {
        let environment = ProcessEnvironment.variables
        let output = LogOutput(program: program.name, environment: environment)
        let data = program.settings.name(of: Setting.data)
        guard CommandLine.argc > 0 || environment[data] != nil else {
            // Without its arguments the daemon would serve the default log instead of the one that was named.
            let failure = StartFailure(
                .usage, "The arguments can't be read: mount /proc, raise the limit of open files, or name the log with \(data).")
            output.complain(failure)
            output.drain()
            exit(failure.status.rawValue)
        }
        let command = DaemonCommand<Self>.parseOrExit()
        // What the daemon writes is for nobody else, wherever it is told to put it.
        umask(0o077)
        let status = await run(
            DaemonStart(
                program: program, options: command.options, environment: environment, output: output,
                target: { configuration throws(StartFailure) in try target(configuration, environment: environment) },
                firstActions: { firstActions($0) }))
        output.drain()
        DaemonCommand<Self>.exit(withError: status == 0 ? nil : ExitCode(status))
    }

    /// Does what was asked for.
    public static func run(_ start: DaemonStart<App, Target>) async -> Int32 { await start.run() }
}

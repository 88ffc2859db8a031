import Glibc
import LinuxService

extension DaemonProgram {
    /// Does what the command line asks for, and ends the process with the status that says how it went.
    ///
    /// Called for a program by its own type, so that all of the daemon is compiled for its app.
    @concurrent public static func main() async {
        let environment = ProcessEnvironment.variables
        let output = LogOutput(program: program.name, environment: environment)
        // What the daemon writes is for nobody else, wherever it is told to put it.
        umask(0o077)
        let status: Int32
        do throws(StartFailure) {
            let data = program.settings.name(of: Setting.data)
            guard CommandLine.argc > 0 || environment[data] != nil else {
                // Without its arguments the daemon would serve the default log instead of the one that was named.
                throw StartFailure(
                    .usage,
                    "The arguments can't be read: mount /proc, raise the limit of open files, or name the log with \(data).")
            }
            let options = try DaemonOptions(Array(CommandLine.arguments.dropFirst()))
            if options.has(.help) || options.has(.version) {
                DaemonServices.print(options.has(.help) ? program.help : program.version)
                exit(ExitStatus.stopped.rawValue)
            }
            status = await run(
                DaemonStart(
                    program: program, options: options, environment: environment, output: output,
                    target: { configuration throws(StartFailure) in try target(configuration, environment: environment) },
                    firstActions: { firstActions($0) }))
        } catch {
            output.complain(error)
            status = error.status.rawValue
        }
        output.drain()
        // Without what libraries clean up at an exit: the thread of HTTP requests may still use them.
        fflush(nil)
        _exit(status)
    }

    /// Does what was asked for.
    public static func run(_ start: DaemonStart<App, Target>) async -> Int32 { await start.run() }
}

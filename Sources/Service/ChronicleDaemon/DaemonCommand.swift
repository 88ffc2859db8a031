import Glibc
import LinuxService

extension DaemonProgram {
    /// Runs the command line, and exits the process with its status.
    ///
    /// Called on the program's own type, so that the daemon is specialized for its app.
    @concurrent public static func main() async {
        let environment = ProcessEnvironment.variables
        let output = LogOutput(program: program.name, environment: environment)
        // Keep all files private, wherever they are created.
        umask(0o077)
        let status: Int32
        do throws(StartFailure) {
            let data = program.settings.name(of: Setting.data)
            guard CommandLine.argc > 0 || environment[data] != nil else {
                // Without its arguments, the daemon would serve the default log.
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
        // Skip exit handlers of libraries, which the thread of HTTP requests may still use.
        fflush(nil)
        _exit(status)
    }

    public static func run(_ start: DaemonStart<App, Target>) async -> Int32 { await start.run() }
}

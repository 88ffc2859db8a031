// Reexported, so that the author of an app needs only one import.
@_exported public import Chronicle
import ChronicleLog
import ChronicleStore
import Glibc
@_exported public import LinuxService

#if Cluster
    import ReplicatedLog
#endif

/// A program that runs an app as a daemon, with its command line, its configuration, its log and its socket.
///
/// ```swift
/// @main enum CounterDaemon: DaemonProgram {
///     typealias App = Counter
///     static let program = Program(name: "counterd", version: "1.0.0")
/// }
/// ```
public protocol DaemonProgram: SendableMetatype {
    associatedtype App: DaemonApp
    associatedtype Target: CommandTarget = NoCommands<App.Action> where Target.Command == App.Command, Target.Action == App.Action

    static var program: Program { get }

    /// Creates the target without opening anything; throws `StartFailure` with status 78 for invalid settings.
    static func target(_ configuration: Configuration, environment: [String: String]) throws(StartFailure) -> Target

    /// The actions to dispatch once, when the log is empty, such as the start of a timer. Clients must be allowed to dispatch them.
    static func firstActions(_ configuration: Configuration) -> [App.Action]

    /// Runs the command line, and returns the exit status; a requirement, so that a program's module can specialize it for its app.
    static func run(_ start: DaemonStart<App, Target>) async -> Int32
}

extension DaemonProgram {
    public static func firstActions(_ configuration: Configuration) -> [App.Action] { [] }

    /// Runs the command line, and exits with its status; called on the program's type, so that the daemon is specialized for its app.
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

extension DaemonProgram where App.Command == Never {
    public static func target(
        _ configuration: Configuration, environment: [String: String]
    ) throws(StartFailure) -> NoCommands<App.Action> { NoCommands() }
}

public struct NoCommands<Action: Sendable>: CommandTarget {
    public func perform(_ command: Never, _ ticket: CommandTicket) async throws(CommandFailure) -> Action? {}
}

/// An app that a daemon can run: a feature whose values can be logged and sent as JSON.
public protocol DaemonApp: Feature where Command: CanonicalCodable {
    /// The action of an opened link; `nil` for an app without links.
    static func action(opening link: String) throws(Refusal) -> Action?

    /// The comments of features, actions, fields and refusals by name: `todos`, `todos.add`, `todos.state.items`,
    /// `todos.refusal.TagEmpty`; for an app without children the empty name, `add`, `state.count`.
    static var documentation: [String: String] { get }

    /// The names of the numbers that are times, with the names of the children: `todos.created`.
    static var times: [String] { get }

    /// A logged action without the given texts; `nil` if it contains none that can be removed.
    static func redacted(_ action: Action, _ texts: RedactedTexts) -> Action?
}

extension DaemonApp {
    public static var documentation: [String: String] { [:] }
    public static var times: [String] { [] }
    public static func action(opening link: String) throws(Refusal) -> Action? { nil }

    /// Keeps the texts of `id` fields, for apps that name things only by id.
    public static func redacted(_ action: Action, _ texts: RedactedTexts) -> Action? { action.redacted(keeping: ["id"], texts) }
}

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
            let log = OfflineLog<App>(program: program, configuration: configuration)
            if options.has(.checkConfig) {
                _ = try target(configuration)
                try SharedLogOptions(program, configuration, environment)?.check()
                DaemonServices.print(resolved.description)
            } else if options.has(.verify) {
                let head = options[.head].map { ($0, HeadCheckpoint($0)) }
                if let head, head.1 == nil {
                    throw StartFailure(
                        .usage, "“\(head.0)” is not a head; use one from the daemon's journal or from “todoctl head”.")
                }
                guard options.has(.looking) else {
                    return try log.checkInChild(repairing: options.has(.repair), from: head?.1)
                }
                if options.has(.repair) { try await log.repair() }
                try await log.check(from: head?.1)
            } else if options.has(.detach) {
                try await log.detach(environment)
            } else if let backup = options[.restore] {
                try log.restore(from: backup, until: options[.until], output)
                try await log.check()
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

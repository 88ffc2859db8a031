public import LinuxService
public import Reducing

/// A program that runs an app as a daemon, with its command line, its configuration, its log and its socket.
///
/// ```swift
/// @main enum CounterDaemon: DaemonProgram {
///     typealias App = Counter
///     static let program = Program(name: "counterd", version: "1.0.0")
/// }
/// ```
public protocol DaemonProgram: SendableMetatype {
    /// What it runs.
    associatedtype App: DaemonApp
    /// Who does the work of its commands.
    associatedtype Target: CommandTarget = NoCommands<App.Action> where Target.Command == App.Command, Target.Action == App.Action

    /// What it is called, and what it says of itself.
    static var program: Program { get }

    /// The target as it is configured; opens nothing before it is needed.
    ///
    /// - Throws: `StartFailure` with status 78 for settings that can't be used.
    static func target(_ configuration: Configuration, environment: [String: String]) throws(StartFailure) -> Target

    /// What is dispatched once, when the log is empty.
    static func firstActions(_ configuration: Configuration) -> [App.Action]

    /// Does what the command line asks for, and answers the status of the process; nobody need write it.
    ///
    /// A requirement so that a module of the program's can have it compiled for its app.
    static func run(_ start: DaemonStart<App, Target>) async -> Int32
}

extension DaemonProgram {
    /// Nothing, for apps that begin with their initial state.
    public static func firstActions(_ configuration: Configuration) -> [App.Action] { [] }
}

extension DaemonProgram where App.Command == Never {
    /// Nobody: there is nothing to do.
    public static func target(
        _ configuration: Configuration, environment: [String: String]
    ) throws(StartFailure) -> NoCommands<App.Action> { NoCommands() }
}

/// The target of an app without commands.
public struct NoCommands<Action: Sendable>: CommandTarget {
    /// Never called.
    public func perform(_ command: Never, _ ticket: CommandTicket) async throws(CommandFailure) -> Action? {}
}

public import Chronicle
public import LinuxService

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

    /// Runs the command line, and returns the exit status; has a default.
    ///
    /// A requirement so that a module of the program can specialize it for its app.
    static func run(_ start: DaemonStart<App, Target>) async -> Int32
}

extension DaemonProgram {
    public static func firstActions(_ configuration: Configuration) -> [App.Action] { [] }
}

extension DaemonProgram where App.Command == Never {
    public static func target(
        _ configuration: Configuration, environment: [String: String]
    ) throws(StartFailure) -> NoCommands<App.Action> { NoCommands() }
}

/// The target of an app without commands.
public struct NoCommands<Action: Sendable>: CommandTarget {
    public func perform(_ command: Never, _ ticket: CommandTicket) async throws(CommandFailure) -> Action? {}
}

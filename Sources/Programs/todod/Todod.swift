public import AppFeature
import DataSources
public import EventSourcedDaemon
import TodoAPI
import TodosFeature

/// The daemon of the app: which features, who does the work of their commands, and what can be set for that.
@main
enum Todod: DaemonProgram {
    typealias App = AppFeature.App

    static let program = Program(
        name: "todod", version: Release.version,
        abstract: "Keeps your todos as a log of actions and serves them on a Unix socket.",
        firstTries: ["add Buy the milk", "list", "watch"], settings: SourceSettings.rows, fingerprint: stateFingerprint)

    static func target(
        _ configuration: Configuration, environment: [String: String]
    ) throws(StartFailure) -> AppTarget {
        AppTarget(try SourceSettings.sources(configuration, environment))
    }

    static func firstActions(_ configuration: Configuration) -> [App.Action] {
        configuration[SourceSettings.loadsWhenEmpty] ? [.loadTodos] : []
    }
}

extension App: DaemonApp {
    /// What the address within the app shows or asks.
    public static func action(opening link: String) throws(Refusal) -> Action { try DeepLink(link).action }

    /// What the comments of the sources say.
    public static var documentation: [String: String] { featureDocumentation }

    /// The texts go, but for those that name something.
    public static func redacted(_ action: Action) -> Action? { action.redacted }
}

import ChronicleDaemon
import DataSources
import FeatureApp
import TodoAPI
import TodoDaemon

/// The daemon's program with its sources and their settings.
@main
enum Todod: DaemonProgram {
    typealias App = FeatureApp.App

    static let program = Program(
        name: "todod", version: Release.version,
        abstract: "Keeps your todos as a log of actions and serves them on a Unix socket.",
        firstTries: ["add Buy the milk", "list", "watch"], interfaces: InterfaceNames.ownPrefix,
        settings: SourceSettings.rows, fingerprint: TodoDaemon.fingerprint)

    static func target(
        _ configuration: Configuration, environment: [String: String]
    ) throws(StartFailure) -> AppTarget {
        AppTarget(try SourceSettings.sources(configuration, environment))
    }

    static func firstActions(_ configuration: Configuration) -> [App.Action] {
        configuration[SourceSettings.loadsWhenEmpty] ? [.loadTodos] : []
    }

    static func run(_ start: DaemonStart<App, AppTarget>) async -> Int32 { await TodoDaemon.run(start) }
}

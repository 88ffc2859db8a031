public import ChronicleDaemon
public import DataSources
public import FeatureApp
import FeatureTodos

/// The daemon of the app: which features, and who does the work of their commands.
///
/// A module beneath the program, because all that is generic is compiled here for the app: beside the client of the web, not after it.
public enum TodoDaemon {
    /// Stands for the code that made a state.
    public static var fingerprint: String { stateFingerprint }

    /// Does what the command line asks for.
    ///
    /// Never inlined: a program would compile all of it once more.
    @inline(never) public static func run(_ start: DaemonStart<App, AppTarget>) async -> Int32 { await start.run() }
}

extension App: DaemonApp {
    /// The action of a deep link.
    public static func action(opening link: String) throws(Refusal) -> Action? { try DeepLink(link).action }

    /// The texts go, but for those that name something.
    public static func redacted(_ action: Action, _ texts: RedactedTexts) -> Action? { action.redacted(texts) }
}

import FeatureFlows
import FeatureRepositories

/// The root of all flows: starts the first flow and holds the open flows until all have ended.
///
/// It starts with the repositories if they were loaded before, and with the welcome flow otherwise. It also holds flows that clients start
/// while it is open, so cancelling it cancels all of them.
enum RootCoordinator: Coordinator {
    static let kind = "root"

    /// The kinds that ask a question; their results need no further step.
    static let children: [String: @Sendable (String?) -> FlowStep] = [
        WelcomeCoordinator.kind: { _ in .stays }, LanguageCoordinator.kind: { _ in .stays },
    ]

    static func start(with input: String, in state: App.State) -> FlowStart {
        .holds(state.repositories.isLive ? RepositoriesCoordinator.self : WelcomeCoordinator.self)
    }
}

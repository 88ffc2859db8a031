import FeatureFlows
import FeatureRepositories

/// The flow above all others: picks the first one and holds those that are open, until none is left.
///
/// Where there is a list of repositories already, it shows that; somebody new is welcomed. What is started while it stands is
/// held by it as well, so whoever cancels it cancels all.
public enum RootCoordinator: Coordinator {
    /// It never returns.
    public typealias Result = Never
    /// `root`.
    public static let kind = "root"

    /// Those that ask something; what they come to is their own business.
    public static let children: [FlowChild<Self>] = [
        FlowChild(WelcomeCoordinator.self) { _, _ in .stays },
        FlowChild(LanguageCoordinator.self) { _, _ in .stays },
    ]

    /// With the flow that it picks.
    public static func start(with input: NoInput, in state: App.State) -> FlowStart {
        .holds([state.repositories.isLive ? FlowCall(RepositoriesCoordinator.self) : FlowCall(WelcomeCoordinator.self)])
    }
}

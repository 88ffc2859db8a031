import RepositoriesFeature

/// Picks the first flow: where there is a list of repositories already, that; for somebody new, a welcome.
public enum RootCoordinator: Coordinator {
    /// It never returns.
    public typealias Result = Never
    /// `root`.
    public static let kind = "root"

    /// As the flow that it picks.
    public static func start(in state: App.State) -> FlowStart {
        .picks(state.repositories.isLive ? RepositoriesCoordinator.self : WelcomeCoordinator.self)
    }
}

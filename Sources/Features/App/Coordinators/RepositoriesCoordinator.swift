import FeatureRepositories

/// Shows the repositories of the current language.
public enum RepositoriesCoordinator: Coordinator {
    /// It never returns.
    public typealias Result = Never
    /// `repositories`.
    public static let kind = "repositories"

    /// With a reload.
    public static func start(with input: NoInput, in state: App.State) -> FlowStart { .shows([.repositories(.reload)]) }
}

import FeatureRepositories

/// Shows the repositories of the current language.
enum RepositoriesCoordinator: Coordinator {
    static let kind = "repositories"

    static func start(with input: String, in state: App.State) -> FlowStart { .shows([.repositories(.reload)]) }
}

import Chronicle
import FeatureFlows
import FeaturePosts
import FeatureRepositories

/// Asks a new user where to begin: with posts, or with repositories, which require a language.
enum WelcomeCoordinator: Coordinator {
    static let kind = "welcome"
    private static let (repositories, posts) = ("repositories", "posts")

    /// Asks for a language before it shows the repositories; if that is cancelled, the question remains open.
    static let children: [String: @Sendable (String?) -> FlowStep] = [
        LanguageCoordinator.kind: { $0 == nil ? .stays : .ends(result: repositories) }
    ]

    static func start(with input: String, in state: App.State) -> FlowStart { .asks(options: [repositories, posts], then: []) }

    /// Ends with the posts, or asks for a language and proposes the current one.
    static func next(after answer: String, in state: App.State) throws(Refusal) -> FlowStep {
        switch answer {
        case repositories: .starts(LanguageCoordinator.self, input: state.repositories.language)
        case posts: .ends(result: posts)
        default: throw Flows.refusal(.unknownAnswer, "begin with repositories or with posts")
        }
    }

    /// Fetches the posts; the language flow has already requested the repositories.
    static func actions(after result: String?) -> [App.Action] { result == posts ? [.posts(.fetch)] : [] }
}

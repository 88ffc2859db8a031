import FeaturePosts
import FeatureRepositories
public import Fields

/// Asks somebody new where to begin: with posts, or with repositories, for which it asks for a language first.
public enum WelcomeCoordinator: Coordinator {
    /// Where it led.
    public enum Result: String, FlowResult {
        /// To the repositories of a language.
        case repositories
        /// To the posts.
        case posts
        /// Nowhere.
        case cancel

        /// Reads `repositories` or `posts`.
        public init?(text: String?) {
            guard let text else {
                self = .cancel
                return
            }
            guard let result = Result(rawValue: text), result != .cancel else { return nil }
            self = result
        }

        /// The name of the place, if there is one.
        public var text: String? { self == .cancel ? nil : rawValue }
    }

    /// `welcome`.
    public static let kind = "welcome"

    /// It asks for a language on the way to the repositories; without one, its question stands again.
    public static let children: [FlowChild<Self>] = [
        FlowChild(LanguageCoordinator.self) { result, _ in
            switch result {
            case .language: .ends(.repositories)
            case .cancel: .stays
            }
        }
    ]

    /// With the two places.
    public static func start(with input: NoInput, in state: App.State) -> FlowStart {
        .asks(options: [Result.repositories, .posts].map(\.rawValue), then: [])
    }

    /// There, by way of a language where one is needed; the current one is proposed.
    public static func next(after answer: String, in state: App.State) throws(Refusal) -> FlowStep<Self> {
        switch Result(text: answer) {
        case .repositories: .starts(FlowCall(LanguageCoordinator.self, with: .init(text: state.repositories.language)))
        case .posts: .ends(.posts)
        case .cancel, nil: throw Refusal("UnknownAnswer", "begin with repositories or with posts")
        }
    }

    /// The first posts; the repositories of the language are on their way already.
    public static func actions(after result: Result) -> [App.Action] {
        switch result {
        case .posts: [.posts(.fetch)]
        case .repositories, .cancel: []
        }
    }
}

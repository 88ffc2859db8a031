import PostsFeature
public import Reducing

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

    /// It asks for a language on the way.
    public typealias Child = LanguageCoordinator

    /// `welcome`.
    public static let kind = "welcome"

    /// With the two places.
    public static func start(in state: App.State) -> FlowStart {
        .asks(options: [Result.repositories, .posts].map(\.rawValue), then: [])
    }

    /// There, by way of a language where one is needed.
    public static func next(after answer: String, in state: App.State) throws(Refusal) -> FlowStep<Self> {
        switch Result(text: answer) {
        case .repositories: .waits
        case .posts: .ends(.posts)
        case .cancel, nil: throw Refusal("UnknownAnswer", "begin with repositories or with posts")
        }
    }

    /// To the repositories; without a language, back to the question.
    public static func next(after result: LanguageCoordinator.Result, in state: App.State) -> FlowStep<Self> {
        switch result {
        case .language: .ends(.repositories)
        case .cancel: .stays
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

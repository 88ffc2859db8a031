import Chronicle
import FeatureFlows
import FeaturePosts
import FeatureRepositories

/// Defines one kind of flow: its start, the meaning of its answers and the actions that follow its result.
///
/// Features don't know each other; coordinators decide which one follows another. Flows form a tree: a flow starts child flows, passes
/// input to each and continues with their results. A coordinator is pure and stateless. Open flows are part of the state, so they survive a
/// restart.
protocol Coordinator: Sendable {
    /// The name by which clients start this kind.
    static var kind: String { get }

    /// The kinds of child flows, each with the step that follows its result; `nil` is the result of a cancelled flow.
    static var children: [String: @Sendable (String?) -> FlowStep] { get }

    /// The commands that cancel the requests of a flow, issued when it is cancelled.
    static var cancellations: [App.Command] { get }

    /// Starts the flow with the input from its parent, which is empty if a client starts it.
    static func start(with input: String, in state: App.State) -> FlowStart

    /// Handles an answer, by default with the refusal `UnknownAnswer`.
    static func next(after answer: String, in state: App.State) throws(Refusal) -> FlowStep

    /// The actions that follow the result, in order; `nil` is the result of a cancelled flow.
    static func actions(after result: String?) -> [App.Action]
}

extension Coordinator {
    static var children: [String: @Sendable (String?) -> FlowStep] { [:] }
    static var cancellations: [App.Command] { [] }

    static func next(after answer: String, in state: App.State) throws(Refusal) -> FlowStep {
        throw Flows.refusal(.unknownAnswer, "a flow of the kind \(kind) does not accept that answer")
    }

    static func actions(after result: String?) -> [App.Action] { [] }
}

enum FlowStart: Sendable {
    /// Asks a question, which stays in the state until it is answered; then the actions follow.
    case asks(options: [String], then: [App.Action])
    /// Only shows something; the flow is not stored and never returns.
    case shows([App.Action])
    /// Starts a child flow; the flow stays in the state until its last child has ended.
    case holds(any Coordinator.Type)
}

enum FlowStep: Sendable {
    case ends(result: String)
    case starts(any Coordinator.Type, input: String)
    /// Leaves the flow unchanged: it repeats its question or waits for its other children.
    case stays
}

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

enum RepositoriesCoordinator: Coordinator {
    static let kind = "repositories"

    static func start(with input: String, in state: App.State) -> FlowStart { .shows([.repositories(.reload)]) }
}

enum LanguageCoordinator: Coordinator {
    static let kind = "language"
    static let cancellations: [App.Command] = [.repositories(.cancelLanguages)]

    /// Offers the known languages, that of the input first, and requests an update from the data source.
    static func start(with input: String, in state: App.State) -> FlowStart {
        .asks(options: options(state.repositories.languages, proposing: input), then: [.repositories(.loadLanguages)])
    }

    /// Accepts any text, because the known languages are only suggestions.
    static func next(after answer: String, in state: App.State) -> FlowStep { .ends(result: answer) }
    static func actions(after result: String?) -> [App.Action] { result.map { [.repositories(.browse($0))] } ?? [] }

    /// Returns the update of an open question's options; nil if there is no question or its options are unchanged.
    static func offer(of languages: [String], in flows: Flows.State) -> Flows.Action? {
        guard let flow = flows.flow(of: kind) else { return nil }
        let options = options(languages, proposing: flow.input)
        return flow.options.hasSameBytes(as: options) ? nil : .offered(flow.id, options: options)
    }

    private static func options(_ languages: [String], proposing name: String) -> [String] {
        let isProposed = { (language: String) in language.hasSameBytes(as: name) }
        return languages.filter(isProposed) + languages.filter { !isProposed($0) }
    }
}

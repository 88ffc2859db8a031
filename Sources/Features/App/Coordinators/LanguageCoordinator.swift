import Chronicle
import FeatureFlows
import FeatureRepositories

/// Asks for a language and then shows its repositories.
enum LanguageCoordinator: Coordinator {
    static let kind = "language"

    /// Cancels the request for languages.
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

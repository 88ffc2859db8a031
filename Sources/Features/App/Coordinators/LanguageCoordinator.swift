import FlowsFeature
import RepositoriesFeature
import Reducing

/// Asks for a language, and then shows its repositories.
public enum LanguageCoordinator: Coordinator {
    /// The language, or that nobody wanted to choose.
    public enum Result: FlowResult {
        /// This one.
        case language(String)
        /// None; everything stays as it is.
        case cancel

        /// Any text is a language; whether there is such a one, the options say.
        public init?(text: String?) { self = text.map(Result.language) ?? .cancel }

        /// The language.
        public var text: String? { if case .language(let name) = self { name } else { nil } }

        /// Compares languages by their bytes.
        public static func == (left: Result, right: Result) -> Bool {
            switch (left, right) {
            case (.language(let left), .language(let right)): left.hasSameBytes(as: right)
            case (.cancel, .cancel): true
            default: false
            }
        }
    }

    /// `language`.
    public static let kind = "language"

    /// With the languages that are known, while the source is asked whether there are others.
    public static func start(in state: App.State) -> FlowStart {
        .asks(options: state.repositories.languages, then: [.repositories(.loadLanguages)])
    }

    /// The list of the language, or nothing.
    public static func actions(after result: Result) -> [App.Action] {
        switch result {
        case .language(let name): [.repositories(.browse(name))]
        case .cancel: []
        }
    }

    /// What an open question is to offer from now on, where there is one and it offers something else.
    static func offer(of languages: [String], in flows: Flows.State) -> Flows.Action? {
        guard let flow = flows.flow(of: kind), !flow.options.hasSameBytes(as: languages) else { return nil }
        return .offered(flow.id, options: languages)
    }
}

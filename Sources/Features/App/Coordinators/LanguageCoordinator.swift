import FeatureFlows
import FeatureRepositories
import Fields

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

    /// The language to propose; empty for none.
    public struct Input: FlowInput {
        /// Its name.
        public let text: String

        /// Names one.
        public init(text: String) { self.text = text }

        /// Compares the bytes.
        public static func == (left: Input, right: Input) -> Bool { left.text.hasSameBytes(as: right.text) }
    }

    /// `language`.
    public static let kind = "language"

    /// The source is not asked for languages any more.
    public static let cancellations: [App.Command] = [.repositories(.cancelLanguages)]

    /// With the languages that are known, the proposed one first, while the source is asked whether there are others.
    public static func start(with input: Input, in state: App.State) -> FlowStart {
        .asks(options: options(state.repositories.languages, proposing: input.text), then: [.repositories(.loadLanguages)])
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
        guard let flow = flows.flow(of: kind) else { return nil }
        let options = options(languages, proposing: flow.input)
        return flow.options.hasSameBytes(as: options) ? nil : .offered(flow.id, options: options)
    }

    private static func options(_ languages: [String], proposing name: String) -> [String] {
        let isProposed = { (language: String) in language.hasSameBytes(as: name) }
        return languages.filter(isProposed) + languages.filter { !isProposed($0) }
    }
}

public import Fields

extension Repositories {
    /// What the list asks of the outside world.
    public enum Command: CasedCommand {
        /// The most-starred repositories of a language; comes back as `loaded`.
        case fetch(language: String)
        /// The languages to choose from; come back as `languagesLoaded`.
        case languages
        /// Shows a page to whoever asked.
        case show(url: String)
        /// Ends the request for languages, if one is open.
        case cancelLanguages

        /// `repositories.fetch` and so on.
        public static let feature = "repositories"

        /// A page is shown by the client.
        public var isPresentational: Bool { if case .show = self { true } else { false } }

        /// The latest request of each kind wins.
        public var policy: CommandPolicy {
            switch self {
            case .fetch: CommandPolicy(cancelID: "fetch")
            case .languages: CommandPolicy(cancelID: "languages")
            case .show: CommandPolicy()
            case .cancelLanguages: CommandPolicy(cancelID: "languages", isCancellation: true)
            }
        }

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Command? {
            switch number {
            case 1: .fetch(language: "")
            case 2: .languages
            case 3: .show(url: "")
            case 4: .cancelLanguages
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .fetch(var name):
                visitor.choose(1, "fetch")
                try visitor.field(1, "language", &name, .required)
                return .fetch(language: name)
            case .languages:
                visitor.choose(2, "languages")
                return .languages
            case .show(var url):
                visitor.choose(3, "show")
                try visitor.field(1, "url", &url, .required)
                return .show(url: url)
            case .cancelLanguages:
                visitor.choose(4, "cancelLanguages")
                return .cancelLanguages
            }
        }
    }
}

extension Repositories {
    /// That nothing was loaded; of a request whose place a later one took, or that waits for a person, nothing.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        let reason: String
        switch end {
        case .failed(let why): reason = why
        case .skipped: reason = "the request was skipped"
        case .cancelled: reason = "the request was cancelled"
        // Loading goes on: by the later command, or when the person has decided.
        case .superseded, .parked: return nil
        }
        return switch command {
        case .fetch(let name): .loadFailed(language: name, reason: reason)
        case .languages: .languagesFailed(reason: reason)
        case .show, .cancelLanguages: nil
        }
    }
}

public import Fields

extension Repositories {
    /// What can happen to the list of repositories: as dispatched, and, prepared, as logged.
    public enum Action: Cased {
        /// Asks for the list of the current language.
        case reload
        /// Makes a language the current one, and after the first reload asks for its list.
        case setLanguage(String)
        /// Shows the list of a language, whether there was a reload or not; logged as `setLanguage`, before the first reload also `reload`.
        case browse(String)
        /// Shows a repository's page to whoever asked; changes nothing.
        case open(UInt64)
        /// Opens the repository at an index; logged as `open`.
        case openAt(index: Int)
        /// Asks which languages there are to choose from.
        case loadLanguages
        /// A request brought the list of a language.
        case loaded(language: String, [Repository])
        /// A request for the list of a language failed, for a reason that is a sentence for a person.
        case loadFailed(language: String, reason: String)
        /// The languages that there are to choose from.
        case languagesLoaded([String])
        /// The languages could not be had, for a reason that is a sentence for a person.
        case languagesFailed(reason: String)
        /// Makes the list what it was: what happened is taken back. An empty language and no languages stay as they are. No client dispatches it.
        case restore(TablePatch<Repository>, language: String, languages: [String], isLive: Bool)

        /// One of each case.
        public static let blanks: [Action?] = [
            .reload, .setLanguage(""), .browse(""), .open(0), .loadLanguages, .loaded(language: "", []),
            .loadFailed(language: "", reason: ""), .languagesLoaded([]), .languagesFailed(reason: ""),
            .restore(TablePatch(), language: "", languages: [], isLive: false),
        ]

        /// The fields of each case.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            switch self {
            case .reload: visitor.choose(1, "reload")
            case .setLanguage(var name):
                visitor.choose(2, "setLanguage")
                try visitor.field(1, "language", &name, .required)
                self = .setLanguage(name)
            case .browse(var name):
                visitor.choose(3, "browse")
                try visitor.field(1, "language", &name, .required)
                self = .browse(name)
            case .open, .openAt:
                visitor.choose(4, "open")
                var target = target
                try target.visit(&visitor)
                self = target.index.map { .openAt(index: $0) } ?? .open(target.id)
            case .loadLanguages: visitor.choose(5, "loadLanguages")
            case .loaded(var name, var items):
                visitor.choose(6, "loaded")
                try visitor.field(1, "language", &name, .required)
                try visitor.field(2, "items", &items, .required)
                self = .loaded(language: name, items)
            case .loadFailed(var name, var reason):
                visitor.choose(7, "loadFailed")
                try visitor.field(1, "language", &name, .required)
                try visitor.field(2, "reason", &reason, .required)
                self = .loadFailed(language: name, reason: reason)
            case .languagesLoaded(var names):
                visitor.choose(8, "languagesLoaded")
                try visitor.field(1, "languages", &names, .required)
                self = .languagesLoaded(names)
            case .languagesFailed(var reason):
                visitor.choose(9, "languagesFailed")
                try visitor.field(2, "reason", &reason, .required)
                self = .languagesFailed(reason: reason)
            case .restore(var patch, var name, var names, var isLive):
                visitor.choose(10, "restore")
                try visitor.field(1, "items", &patch, .required)
                try visitor.field(2, "language", &name, .required)
                try visitor.field(3, "languages", &names, .required)
                try visitor.field(4, "isLive", &isLive, .required)
                self = .restore(patch, language: name, languages: names, isLive: isLive)
            }
        }

        /// An id and an index at once, or neither.
        public var fault: ValueMismatch? { target.fault }

        private var target: RowTarget {
            switch self {
            case .open(let id): RowTarget(id: id)
            case .openAt(let index): RowTarget(index: index)
            default: RowTarget(id: 1)
            }
        }
    }
}

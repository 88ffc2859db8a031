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

        /// `openAt`, which is `open` by an index.
        public static let sharingCount = 1

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Action? {
            switch number {
            case 1: .reload
            case 2: .setLanguage("")
            case 3: .browse("")
            case 4: .open(0)
            case 5: .loadLanguages
            case 6: .loaded(language: "", [])
            case 7: .loadFailed(language: "", reason: "")
            case 8: .languagesLoaded([])
            case 9: .languagesFailed(reason: "")
            case 10: .restore(TablePatch(), language: "", languages: [], isLive: false)
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .reload:
                visitor.choose(1, "reload")
                return .reload
            case .setLanguage(var name):
                visitor.choose(2, "setLanguage")
                try visitor.field(1, "language", &name, .required)
                return .setLanguage(name)
            case .browse(var name):
                visitor.choose(3, "browse")
                try visitor.field(1, "language", &name, .required)
                return .browse(name)
            case .open(let id): return try Self.open(RowTarget(id: id), visitedBy: &visitor)
            case .openAt(let index): return try Self.open(RowTarget(index: index), visitedBy: &visitor)
            case .loadLanguages:
                visitor.choose(5, "loadLanguages")
                return .loadLanguages
            case .loaded(var name, var items):
                visitor.choose(6, "loaded")
                try visitor.field(1, "language", &name, .required)
                try visitor.field(2, "items", &items, .required)
                return .loaded(language: name, items)
            case .loadFailed(var name, var reason):
                visitor.choose(7, "loadFailed")
                try visitor.field(1, "language", &name, .required)
                try visitor.field(2, "reason", &reason, .required)
                return .loadFailed(language: name, reason: reason)
            case .languagesLoaded(var names):
                visitor.choose(8, "languagesLoaded")
                try visitor.field(1, "languages", &names, .required)
                return .languagesLoaded(names)
            case .languagesFailed(var reason):
                visitor.choose(9, "languagesFailed")
                try visitor.field(2, "reason", &reason, .required)
                return .languagesFailed(reason: reason)
            case .restore(var patch, var name, var names, var isLive):
                visitor.choose(10, "restore")
                try visitor.field(1, "items", &patch, .required)
                try visitor.field(2, "language", &name, .required)
                try visitor.field(3, "languages", &names, .required)
                try visitor.field(4, "isLive", &isLive, .required)
                return .restore(patch, language: name, languages: names, isLive: isLive)
            }
        }

        private static func open<Visitor: FieldVisitor>(
            _ target: RowTarget, visitedBy visitor: inout Visitor
        ) throws(Visitor.Failure) -> Action {
            visitor.choose(4, "open")
            var target = target
            try target.visit(&visitor)
            return target.index.map { .openAt(index: $0) } ?? .open(target.id)
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

extension Repositories {
    /// What commands bring back are facts; to set the language is an order, and to want lists and pages a request.
    public static func nature(of action: Action) -> ActionNature {
        switch action {
        case .setLanguage, .browse: .order
        case .reload, .open, .openAt, .loadLanguages: .request
        case .loaded, .loadFailed, .languagesLoaded, .languagesFailed, .restore: .fact
        }
    }

    /// What a fact says that failed, for an alert.
    public static func failure(toldBy action: Action) -> String? {
        switch action {
        case .loadFailed(let name, let reason): "the repositories of \(name) could not be listed: \(reason)"
        case .languagesFailed(let reason): "the languages could not be listed: \(reason)"
        default: nil
        }
    }

    /// The fields that an action is about.
    public static func scopes(of action: Action) -> ScopeSet {
        switch action {
        case .reload: [Field.loading, Field.isLive]
        case .setLanguage: [Field.language, Field.loading]
        case .browse: [Field.language, Field.loading, Field.isLive]
        case .open, .openAt: Field.items
        case .loaded: [Field.items, Field.loading]
        case .loadFailed: Field.loading
        case .restore: [Field.items, Field.language, Field.languages, Field.isLive]
        case .loadLanguages, .languagesLoaded, .languagesFailed: Field.languages
        }
    }

    /// The list, where it is opened by index.
    public static func indexedScope(of action: Action) -> ScopeSet {
        if case .openAt = action { Field.items } else { [] }
    }
}

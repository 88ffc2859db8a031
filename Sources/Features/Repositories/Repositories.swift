import PersistentCollections
public import Reducing

/// The most-starred repositories of one language.
///
/// Which language is somebody else's question: this feature knows no flow, and nothing of who asks it.
public enum Repositories: Feature {
    /// The fields of the state; their bits stand in `Field`.
    public static let scopes = ["language", "languages", "items", "loading", "isLive"]

    enum Field {
        static let language = ScopeSet(index: 0)
        static let languages = ScopeSet(index: 1)
        static let items = ScopeSet(index: 2)
        static let loading = ScopeSet(index: 3)
        static let isLive = ScopeSet(index: 4)
    }

    /// What commands bring back are facts, all else are orders.
    public static func nature(of action: Action) -> ActionNature {
        switch action {
        case .reload, .setLanguage, .browse, .open, .openAt, .loadLanguages: .order
        case .loaded, .loadFailed, .languagesLoaded, .languagesFailed, .restore: .fact
        }
    }

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

    /// The fields that differ; of the list only pages that aren't shared are looked at.
    public static func changedScopes(from old: State, to new: State) -> ScopeSet {
        var scopes: ScopeSet = []
        if !old.language.hasSameBytes(as: new.language) { scopes.insert(Field.language) }
        if !old.hasSameLanguages(as: new.languages) { scopes.insert(Field.languages) }
        if old.items != new.items { scopes.insert(Field.items) }
        if old.loading != new.loading { scopes.insert(Field.loading) }
        if old.isLive != new.isLive { scopes.insert(Field.isLive) }
        return scopes
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

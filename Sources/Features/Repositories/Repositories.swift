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
        case .loaded, .loadFailed, .loadEnded, .languagesLoaded, .languagesFailed: .fact
        }
    }

    /// What failed, or waits for a person, is no longer loading and says why; what was given up is no longer loading.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        switch (command, end) {
        case (.fetch(let name), .failed(let reason)), (.fetch(let name), .parked(let reason)):
            .loadFailed(language: name, reason: reason)
        case (.fetch(let name), .skipped), (.fetch(let name), .cancelled): .loadEnded(language: name)
        case (.languages, .failed(let reason)), (.languages, .parked(let reason)): .languagesFailed(reason: reason)
        // The later request, which took its place, ends the loading.
        case (.fetch, .superseded), (.languages, _), (.show, _): nil
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
        case .loadFailed, .loadEnded: Field.loading
        case .loadLanguages, .languagesLoaded, .languagesFailed: Field.languages
        }
    }

    /// The list, where it is opened by index.
    public static func indexedScope(of action: Action) -> ScopeSet {
        if case .openAt = action { Field.items } else { [] }
    }
}

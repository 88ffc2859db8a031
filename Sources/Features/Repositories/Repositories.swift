public import Fields

/// The most-starred repositories of one language.
///
/// Which language is somebody else's question: this feature knows no flow, and nothing of who asks it.
public enum Repositories: Feature {
    /// The bits of the fields of the state, in their order.
    enum Field {
        static let language = ScopeSet(index: 0)
        static let languages = ScopeSet(index: 1)
        static let items = ScopeSet(index: 2)
        static let loading = ScopeSet(index: 3)
        static let isLive = ScopeSet(index: 4)
    }

    /// What a screen shows: the language as the title, a refresh indicator, and a row for each repository.
    public static func viewParts(of state: State) -> ViewParts {
        ViewParts(
            ["title": .text(state.language), "refreshing": .bool(state.loading), "languages": state.languages.value],
            lists: [
                ViewList(state.items, at: "repositories") { repository in
                    [
                        "id": .int(Int64(clamping: repository.id)), "name": .text(repository.fullName),
                        "description": .text(repository.description), "stars": .text("⭐️ \(repository.stars)"),
                        "url": .text(repository.url),
                    ]
                }
            ])
    }

    /// A patch; and where the list was being loaded, a request for it.
    public static func compensation(from present: State, to wanted: State) -> [Action] {
        let patch = TablePatch(from: present.items, to: wanted.items)
        let hasLanguage = present.language.hasSameBytes(as: wanted.language)
        let hasLanguages = present.languages.hasSameBytes(as: wanted.languages)
        var actions: [Action] = []
        if !patch.isEmpty || !hasLanguage || !hasLanguages || present.isLive != wanted.isLive {
            actions.append(
                .restore(
                    patch, language: hasLanguage ? "" : wanted.language, languages: hasLanguages ? [] : wanted.languages,
                    isLive: wanted.isLive))
        }
        if wanted.loading, !present.loading { actions.append(.reload) }
        return actions
    }

    /// The largest of everything; `prepare` cuts or leaves out what a source brings beyond it.
    public enum Limits {
        /// Ids, so that every client's JSON keeps them exact.
        public static let ids = ElementID.range
        /// Repositories in the list.
        public static let itemsMax = 100
        /// Languages to choose from.
        public static let languagesMax = 1_000
        /// UTF-8 bytes of a language's name.
        public static let languageBytesMax = 100
        /// UTF-8 bytes of a repository's full name.
        public static let nameBytesMax = 256
        /// UTF-8 bytes of a description.
        public static let descriptionBytesMax = 1_024
        /// UTF-8 bytes of an address.
        public static let urlBytesMax = 2_048
        /// UTF-8 bytes of the reason of a failure.
        public static let reasonBytesMax = 1_024
    }
}

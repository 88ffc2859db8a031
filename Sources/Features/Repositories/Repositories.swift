public import Chronicle

extension Repositories {
    /// The language as the title, a refresh indicator, and a row for each repository.
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

    /// A patch, and a new request if the list was being loaded.
    public static func compensatingActions(from present: State, to wanted: State) -> [Action] {
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

    /// `prepare` truncates or drops values of a data source that exceed them.
    public enum Limits {
        static let itemsMax = 100
        static let languagesMax = 1_000
        static let languageBytesMax = 100
        public static let nameBytesMax = 256
        public static let descriptionBytesMax = 1_024
        static let urlBytesMax = 2_048
        static let reasonBytesMax = 1_024
    }
}

public import Chronicle

extension Repositories {
    /// Decides a dispatched action or the result of a command.
    ///
    /// Events are never refused: values beyond the limits are truncated or dropped, and a result for another language is ignored.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .reload, .loadLanguages, .restore: return [action]
        case .setLanguage(let name):
            try requireKnown(name, state)
            return [action]
        case .browse(let name):
            try requireKnown(name, state)
            return state.isLive ? [.setLanguage(name)] : [.setLanguage(name), .reload]
        case .open(let id):
            guard let url = state.items.read(id, { $0.url }) else {
                throw refusal(.unknownID, "there is no repository \(id) in the list")
            }
            guard !url.utf8.isEmpty else { throw refusal(.noPage, "the repository \(id) has no page that could be opened") }
            return [action]
        case .openAt(let index):
            guard let id = state.items.id(at: index) else {
                throw refusal(.unknownIndex, "there is no index \(index), the list has \(state.items.count) repositories")
            }
            return try prepare(.open(id), state, context)
        case .loaded(let name, let items):
            return name.hasSameBytes(as: state.language) ? [.loaded(language: name, SourceFilter.kept(items))] : []
        case .loadFailed(let name, let reason):
            let reason = reason.prefix(bytesMax: Limits.reasonBytesMax)
            return name.hasSameBytes(as: state.language) ? [.loadFailed(language: name, reason: reason)] : []
        case .languagesLoaded(let names):
            let names = SourceFilter.kept(names)
            return names.isEmpty || names.hasSameBytes(as: state.languages) ? [] : [.languagesLoaded(names)]
        case .languagesFailed(let reason): return [.languagesFailed(reason: reason.prefix(bytesMax: Limits.reasonBytesMax))]
        }
    }

    /// Applies a logged action; an event for a language other than the current one changes nothing.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .reload:
            state.isLive = true
            state.loading = true
            return [.fetch(language: state.language)]
        case .setLanguage(let name):
            guard !name.utf8.isEmpty else { return [] }
            state.language = name
            guard state.isLive else { return [] }
            state.loading = true
            return [.fetch(language: name)]
        case .open(let id):
            guard let url = state.items.read(id, { $0.url }), !url.utf8.isEmpty else { return [] }
            return [.show(url: url)]
        case .loadLanguages: return [.languages]
        case .loaded(let name, let items):
            guard name.hasSameBytes(as: state.language) else { return [] }
            state.items = State(items: items).items
            state.loading = false
        case .loadFailed(let name, _):
            if name.hasSameBytes(as: state.language) { state.loading = false }
        case .languagesLoaded(let names):
            if !names.isEmpty { state.languages = names }
        case .languagesFailed: break
        case .restore(let patch, let name, let names, let isLive):
            if !name.utf8.isEmpty { state.language = name }
            if !names.isEmpty { state.languages = names }
            patch.apply(to: &state.items) { repository, _ in ElementID.range.contains(repository.id) }
            state.isLive = isLive
        case .browse, .openAt:
            // Never logged, because `prepare` replaces both.
            break
        }
        return []
    }

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

    private static func requireKnown(_ name: String, _ state: State) throws(Refusal) {
        guard state.languages.contains(where: { $0.hasSameBytes(as: name) }) else {
            let name = name.prefix(bytesMax: Limits.languageBytesMax)
            throw refusal(
                .unknownLanguage, "there is no language \(name) to choose; known are \(state.languages.joined(separator: ", "))")
        }
    }

    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        let reason: String
        switch end {
        case .failed(let why): reason = why
        case .skipped: reason = "the request was skipped"
        case .cancelled: reason = "the request was cancelled"
        // Loading continues with the later command or after a person's decision.
        case .superseded, .parked: return nil
        }
        return switch command {
        case .fetch(let name): .loadFailed(language: name, reason: reason)
        case .languages: .languagesFailed(reason: reason)
        case .show, .cancelLanguages: nil
        }
    }
}

extension Repositories.Command {
    public var isPresentational: Bool { if case .show = self { true } else { false } }

    public var policy: CommandPolicy {
        switch self {
        case .fetch: CommandPolicy(cancelID: "fetch")
        case .languages: CommandPolicy(cancelID: "languages")
        case .show: CommandPolicy()
        case .cancelLanguages: CommandPolicy(cancelID: "languages", isCancellation: true)
        }
    }
}

public import Chronicle

extension Repositories {
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

        case .loadLanguages:
            return [.languages]

        case .loaded(let name, let items):
            guard name.hasSameBytes(as: state.language) else { return [] }
            state.items = State(items: items).items
            state.loading = false

        case .loadFailed(let name, _):
            if name.hasSameBytes(as: state.language) { state.loading = false }

        case .languagesLoaded(let names):
            if !names.isEmpty { state.languages = names }

        case .languagesFailed:
            break

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
}

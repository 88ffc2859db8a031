public import Fields

extension Repositories {
    /// Decides about an action as dispatched, or as a command brought it back.
    ///
    /// Refusals: `UnknownLanguage`, `UnknownID`, `UnknownIndex`, `NoPage`. Facts are never refused: what is too large is cut or left out, and what
    /// is about a language that is no longer the current one is nothing.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .reload, .loadLanguages, .restore:
            return [action]

        case .setLanguage(let name):
            try requireKnown(name, state)
            return [action]

        case .browse(let name):
            try requireKnown(name, state)
            return state.isLive ? [.setLanguage(name)] : [.setLanguage(name), .reload]

        case .open(let id):
            guard let url = state.items.read(id, { $0.url }) else {
                throw Refusal("UnknownID", "there is no repository \(id) in the list")
            }
            guard !url.utf8.isEmpty else { throw Refusal("NoPage", "the repository \(id) has no page that could be opened") }
            return [action]

        case .openAt(let index):
            guard let id = state.items.id(at: index) else {
                throw Refusal("UnknownIndex", "there is no index \(index), the list has \(state.items.count) repositories")
            }
            return try prepare(.open(id), state, context)

        case .loaded(let name, let items):
            return name.hasSameBytes(as: state.language) ? [.loaded(language: name, SourceRule.kept(items))] : []

        case .loadFailed(let name, let reason):
            let reason = reason.prefix(bytesMax: Limits.reasonBytesMax)
            return name.hasSameBytes(as: state.language) ? [.loadFailed(language: name, reason: reason)] : []

        case .languagesLoaded(let names):
            let names = SourceRule.kept(names)
            return names.isEmpty || names.hasSameBytes(as: state.languages) ? [] : [.languagesLoaded(names)]

        case .languagesFailed(let reason):
            return [.languagesFailed(reason: reason.prefix(bytesMax: Limits.reasonBytesMax))]
        }
    }

    private static func requireKnown(_ name: String, _ state: State) throws(Refusal) {
        guard state.languages.contains(where: { $0.hasSameBytes(as: name) }) else {
            let name = name.prefix(bytesMax: Limits.languageBytesMax)
            throw Refusal(
                "UnknownLanguage", "there is no language \(name) to choose; known are \(state.languages.joined(separator: ", "))")
        }
    }
}

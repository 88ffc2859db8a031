public import Chronicle

extension Repositories {
    /// Decides a dispatched action or the result of a command.
    ///
    /// Events are never refused: values beyond the limits are truncated or dropped, and a result for another language is ignored.
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

        case .languagesFailed(let reason):
            return [.languagesFailed(reason: reason.prefix(bytesMax: Limits.reasonBytesMax))]
        }
    }

    private static func requireKnown(_ name: String, _ state: State) throws(Refusal) {
        guard state.languages.contains(where: { $0.hasSameBytes(as: name) }) else {
            let name = name.prefix(bytesMax: Limits.languageBytesMax)
            throw refusal(
                .unknownLanguage, "there is no language \(name) to choose; known are \(state.languages.joined(separator: ", "))")
        }
    }
}

import PersistentCollections
public import Reducing

extension Repositories.State: ValueConvertible {
    /// `{language, languages, items, loading, isLive}`.
    public var value: Value {
        [
            "language": .text(language), "languages": languages.value, "items": items.elements.value,
            "loading": .bool(loading), "isLive": .bool(isLive),
        ]
    }

    /// Reads `{language, languages, items, loading, isLive}`; what is left out has its initial value.
    public init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        let language: String = try record.optional("language") ?? Self.initialLanguage
        let languages: [String] = try record.optional("languages") ?? Self.initialLanguages
        let repositories: [Repository] = try record.optional("items") ?? []
        self.init(
            language: language, languages: languages, loading: try record.optional("loading") ?? false,
            isLive: try record.optional("isLive") ?? false)
        try record.end()
        guard !language.utf8.isEmpty else { throw ValueMismatch("language", "a language is expected") }
        guard !languages.isEmpty else { throw ValueMismatch("languages", "at least one language is expected") }
        for (index, repository) in repositories.enumerated() {
            guard items.append(repository, id: repository.id) else {
                throw ValueMismatch("items[\(index)].id", "the id \(repository.id) is taken")
            }
        }
    }
}

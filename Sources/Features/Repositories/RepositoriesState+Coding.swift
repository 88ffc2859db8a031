public import ActionCoding
import PersistentCollections
import Reducing

extension Repositories.State: CanonicalCodable {
    /// Fields: 1 language, 2 languages (a list), 3 items (a list of repositories in their order), 4 loading, 5 live; the two first only
    /// if they are not what they begin with.
    public func encode(into writer: inout CanonicalWriter) {
        if !language.hasSameBytes(as: Self.initialLanguage) { writer.element(1, language) }
        if !hasSameLanguages(as: Self.initialLanguages) {
            for name in languages { writer.element(2, name) }
        }
        items.forEach { _, repository in
            writer.message(3, repository)
            return true
        }
        writer.field(4, loading)
        writer.field(5, isLive)
    }

    /// Reads what `encode` wrote; ids that are there twice are errors.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        var names: [String] = []
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1:
                language = try cursor.text(bytes)
                guard !language.hasSameBytes(as: Self.initialLanguage) else {
                    throw CanonicalError(.notCanonical, at: cursor.offset)
                }
            case 2: names.append(try cursor.textElement(bytes))
            case 3:
                let repository: Repository = try cursor.message(bytes)
                guard items.append(repository, id: repository.id) else {
                    throw CanonicalError(.notCanonical, at: cursor.offset)
                }
            case 4: loading = try cursor.bool(bytes)
            case 5: isLive = try cursor.bool(bytes)
            default: throw cursor.unknown()
            }
        }
        if names.isEmpty { return }
        languages = names
        guard !hasSameLanguages(as: Self.initialLanguages) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
    }
}

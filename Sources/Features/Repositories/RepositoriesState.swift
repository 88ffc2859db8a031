public import Fields

extension Repositories {
    /// The current language, the languages to choose from, and the list as the last request brought it.
    public struct State: Fielded {
        private var storedLanguage: Language
        private var storedLanguages: Languages
        /// The repositories by id, in the source's order.
        public var items: OrderedTable<Repository>
        /// Whether a request runs.
        public var loading: Bool
        /// Whether there was a first reload: from then on a change of the language asks for its list.
        public var isLive: Bool

        /// The language that everything begins with.
        public static let initialLanguage = "Swift"
        /// What there is to choose from before a source has said more.
        public static let initialLanguages = ["Swift", "Objective-C", "Java", "C", "C++", "Python", "C#"]

        /// Makes a state: each field that is left out is what it begins with.
        ///
        /// Repositories whose id is too large or taken are left out.
        public init(
            language: String = initialLanguage, languages: [String] = initialLanguages, items: [Repository] = [],
            loading: Bool = false, isLive: Bool = false
        ) {
            storedLanguage = Language(language)
            storedLanguages = Languages(languages)
            self.items = OrderedTable(repositories: items)
            self.loading = loading
            self.isLive = isLive
        }

        /// Makes the state that everything begins with.
        public init() { self.init(items: []) }

        /// Whose repositories are listed; never empty.
        public var language: String {
            get { storedLanguage.name }
            set { storedLanguage = Language(newValue) }
        }

        /// What there is to choose from; never empty.
        public var languages: [String] {
            get { storedLanguages.names }
            set { storedLanguages = Languages(newValue) }
        }

        /// Its fields.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.field(1, "language", &storedLanguage, .shown)
            try visitor.field(2, "languages", &storedLanguages, .shown)
            try visitor.rows(3, "items", &items)
            try visitor.field(4, "loading", &loading, .shown, undone: .ifUntouched)
            try visitor.field(5, "isLive", &isLive, .shown, undone: .ifUntouched)
        }

        /// A language, or those to choose from, written although they are what everything begins with.
        public var fault: ValueMismatch? {
            guard storedLanguage == Language(language), storedLanguages == Languages(languages) else {
                return ValueMismatch("languages", "those that everything begins with are left out")
            }
            return nil
        }
    }
}

extension OrderedTable<Repository> {
    /// The repositories in this order, without those whose id can't be one or is there already.
    init(repositories: [Repository]) {
        self.init()
        for repository in repositories where Repositories.Limits.ids.contains(repository.id) {
            append(repository, id: repository.id)
        }
    }
}

/// A language, as a state keeps it: empty for that with which everything begins.
private struct Language: Field, Equatable {
    @Exact private var stored = ""

    init(_ name: String) { stored = name.hasSameBytes(as: Repositories.State.initialLanguage) ? "" : name }

    var name: String { stored.utf8.isEmpty ? Repositories.State.initialLanguage : stored }

    static var shape: Shape { .text }
    var isInitial: Bool { stored.utf8.isEmpty }
    var value: Value { .text(name) }

    init(_ value: Value) throws(ValueMismatch) {
        let name = try String(value)
        guard !name.utf8.isEmpty else { throw ValueMismatch("", "a language is expected") }
        self.init(name)
    }

    func write(_ number: UInt32, into writer: inout CanonicalWriter) { stored.write(number, into: &writer) }

    static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Language {
        var language = Language("")
        language.stored = try String.readAny(bytes, &cursor)
        return language
    }
}

/// Languages to choose from, as a state keeps them: none for those with which everything begins.
private struct Languages: Field, Equatable {
    @Exact private var stored: [String] = []

    init(_ names: [String]) { stored = names.hasSameBytes(as: Repositories.State.initialLanguages) ? [] : names }

    var names: [String] { stored.isEmpty ? Repositories.State.initialLanguages : stored }

    static var shape: Shape { .list(.text) }
    static var isRepeated: Bool { true }
    var isInitial: Bool { stored.isEmpty }
    var value: Value { names.value }

    init(_ value: Value) throws(ValueMismatch) {
        let names = try [String](value)
        guard !names.isEmpty else { throw ValueMismatch("", "at least one language is expected") }
        self.init(names)
    }

    func write(_ number: UInt32, into writer: inout CanonicalWriter) { stored.write(number, into: &writer) }

    static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Languages {
        var languages = Languages([])
        try languages.take(bytes, &cursor)
        return languages
    }

    mutating func take(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        try stored.take(bytes, &cursor)
    }
}

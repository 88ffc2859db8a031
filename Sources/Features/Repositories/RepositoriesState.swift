public import Chronicle

extension Repositories.State {
    static let initialLanguage = "Swift"
    public static let initialLanguages = ["Swift", "Objective-C", "Java", "C", "C++", "Python", "C#"]

    /// Repositories whose ID is out of range or a duplicate are dropped.
    public init(
        language: String, languages: [String] = initialLanguages, items: [Repository] = [], loading: Bool = false,
        isLive: Bool = false
    ) {
        self.init(items: items, loading: loading, isLive: isLive)
        (self.language, self.languages) = (language, languages)
    }

    /// The language of the list; never empty.
    public var language: String {
        get { storedLanguage.content }
        set { storedLanguage = Language(newValue) }
    }

    /// The languages to choose from; never empty.
    public var languages: [String] {
        get { storedLanguages.content }
        set { storedLanguages = Languages(newValue) }
    }

    /// Reports a language or list of languages that is stored although it is the default.
    public var fault: ValueMismatch? {
        guard storedLanguage == Language(language), storedLanguages == Languages(languages) else {
            return ValueMismatch("languages", "the initial languages are left out")
        }
        return nil
    }
}

typealias Language = WithInitial<String>
typealias Languages = WithInitial<[String]>

/// The content of a field that begins with it.
protocol InitialContent: Field, RangeReplaceableCollection {
    static var initial: Self { get }
}

extension String: InitialContent {
    static var initial: String { Repositories.State.initialLanguage }
}

extension [String]: InitialContent {
    static var initial: [String] { Repositories.State.initialLanguages }
}

/// Encodes a content that is never empty; the initial one is stored as an empty one.
struct WithInitial<Content: InitialContent>: Field, Equatable {
    @ByteEqual private var stored = Content()

    init() {}
    init(_ content: Content) { stored = content.isSame(as: .initial) ? Content() : content }
    var content: Content { stored.isInitial ? .initial : stored }
    static var shape: Shape { Content.shape }
    static var isRepeated: Bool { Content.isRepeated }
    var isInitial: Bool { stored.isInitial }
    var value: Value { content.value }

    init(_ value: Value) throws(ValueMismatch) {
        let content = try Content(value)
        guard !content.isInitial else { throw ValueMismatch("", "a language is expected") }
        self.init(content)
    }

    func write(_ number: UInt32, into writer: inout CanonicalWriter) { stored.write(number, into: &writer) }

    static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        var field = Self()
        try field.take(bytes, &cursor)
        return field
    }

    mutating func take(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        try stored.take(bytes, &cursor)
    }
}

/// Filters untrusted values of a data source; only for `prepare`, because it depends on the Unicode tables.
enum SourceFilter {
    static func kept(_ repositories: [Repository]) -> [Repository] {
        var ids: Set<UInt64> = []
        var kept: [Repository] = []
        for var repository in repositories where kept.count < Repositories.Limits.itemsMax {
            guard ElementID.range.contains(repository.id), isName(repository.fullName, Repositories.Limits.nameBytesMax),
                ids.insert(repository.id).inserted
            else { continue }
            repository.description = repository.description.prefix(bytesMax: Repositories.Limits.descriptionBytesMax)
            if !isPage(repository.url) { repository.url = "" }
            repository.stars = min(max(0, repository.stars), Int64.exactMax)
            kept.append(repository)
        }
        return kept
    }

    static func kept(_ languages: [String]) -> [String] {
        var kept: [String] = []
        for name in languages where kept.count < Repositories.Limits.languagesMax {
            guard isName(name, Repositories.Limits.languageBytesMax), !kept.contains(where: { $0.hasSameBytes(as: name) })
            else { continue }
            kept.append(name)
        }
        return kept
    }

    private static func isName(_ text: String, _ bytesMax: Int) -> Bool { 1...bytesMax ~= text.utf8.count }

    // Opening a page passes an untrusted text to a browser, so only web URLs are accepted.
    private static func isPage(_ url: String) -> Bool {
        guard url.utf8.count <= Repositories.Limits.urlBytesMax, url.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return false }
        let start = url.prefix(8).lowercased()
        return start.hasPrefix("https://") && url.utf8.count > 8 || start.hasPrefix("http://") && url.utf8.count > 7
    }
}

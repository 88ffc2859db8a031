public import Chronicle

extension Repositories.State {
    public static let initialLanguage = "Swift"
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

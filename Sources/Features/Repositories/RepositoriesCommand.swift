public import ActionCoding
public import Reducing

extension Repositories {
    /// What the list asks of the outside world.
    public enum Command: Sendable {
        /// The most-starred repositories of a language; comes back as `loaded`.
        case fetch(language: String)
        /// The languages to choose from; come back as `languagesLoaded`.
        case languages
        /// Shows a page to whoever asked.
        case show(url: String)
        /// Ends the request for languages, if one is open.
        case cancelLanguages
    }
}

extension Repositories.Command: NamedCommand {
    /// `repositories.fetch`, `repositories.languages`, `repositories.show`, `repositories.cancelLanguages`.
    public var name: String {
        switch self {
        case .fetch: "repositories.fetch"
        case .languages: "repositories.languages"
        case .show: "repositories.show"
        case .cancelLanguages: "repositories.cancelLanguages"
        }
    }

    /// A page is shown by the client.
    public var isPresentational: Bool { if case .show = self { true } else { false } }

    /// The latest request of each kind wins.
    public var policy: CommandPolicy {
        switch self {
        case .fetch: CommandPolicy(cancelID: "fetch")
        case .languages: CommandPolicy(cancelID: "languages")
        case .show: CommandPolicy()
        case .cancelLanguages: CommandPolicy(cancelID: "languages", isCancellation: true)
        }
    }

    /// `{language}`, nothing, or `{url}`.
    public var arguments: Value {
        switch self {
        case .fetch(let name): ["language": .text(name)]
        case .languages, .cancelLanguages: [:]
        case .show(let url): ["url": .text(url)]
        }
    }

    /// Compares the canonical bytes, so texts by their bytes.
    public static func == (left: Self, right: Self) -> Bool { left.canonicalBytes == right.canonicalBytes }
}

extension Repositories.Command: CanonicalCodable {
    /// One field, the case, with a message: 1 fetch (1 language), 2 languages, 3 show (1 url), 4 cancelLanguages.
    public func encode(into writer: inout CanonicalWriter) {
        switch self {
        case .fetch(let name): writer.message(1) { $0.field(1, name) }
        case .languages: writer.message(2) { _ in }
        case .show(let url): writer.message(3) { $0.field(1, url) }
        case .cancelLanguages: writer.message(4) { _ in }
        }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        guard (1...4).contains(number) else { throw cursor.unknown() }
        var inner = try cursor.enterSingle(bytes)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
        var text = ""
        while let field = try inner.nextField(in: bytes) {
            guard field == 1, number % 2 == 1 else { throw inner.unknown() }
            text = try inner.text(bytes)
        }
        self =
            switch number {
            case 1: .fetch(language: text)
            case 2: .languages
            case 3: .show(url: text)
            default: .cancelLanguages
            }
    }
}

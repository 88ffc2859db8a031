public import ActionCoding
import Restoring

extension Repositories.Action: CanonicalCodable {
    /// One field, the case, with a message: 1 reload, 2 setLanguage (1 language), 3 browse (1 language), 4 open (1 id, or 2 index), 5 loadLanguages,
    /// 6 loaded (1 language, 2 repositories), 7 loadFailed (1 language, 2 reason), 8 languagesLoaded (1 languages), 9 languagesFailed (2 reason),
    /// 10 restore (1 patch, as `TablePatch`, 2 language, 3 languages, 4 live).
    public func encode(into writer: inout CanonicalWriter) {
        switch self {
        case .reload: writer.message(1) { _ in }
        case .setLanguage(let name): writer.message(2) { $0.field(1, name) }
        case .browse(let name): writer.message(3) { $0.field(1, name) }
        case .open(let id): writer.message(4) { $0.field(1, id) }
        case .openAt(let index): writer.message(4) { $0.element(2, UInt64(clamping: index)) }
        case .loadLanguages: writer.message(5) { _ in }
        case .loaded(let name, let items):
            writer.message(6) { writer in
                writer.field(1, name)
                for item in items { writer.message(2, item) }
            }
        case .loadFailed(let name, let reason):
            writer.message(7) { writer in
                writer.field(1, name)
                writer.field(2, reason)
            }
        case .languagesLoaded(let names):
            writer.message(8) { writer in
                for name in names { writer.element(1, name) }
            }
        case .languagesFailed(let reason): writer.message(9) { $0.field(2, reason) }
        case .restore(let patch, let name, let names, let isLive):
            writer.message(10) { writer in
                writer.field(1, patch)
                writer.field(2, name)
                for name in names { writer.element(3, name) }
                writer.field(4, isLive)
            }
        }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        guard (1...10).contains(number) else { throw cursor.unknown() }
        var inner = try cursor.enterSingle(bytes)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
        switch number {
        case 1: self = .reload
        case 4: self = try Self.open(bytes, &inner)
        case 5: self = .loadLanguages
        case 6: self = try Self.loaded(bytes, &inner)
        case 8: self = try Self.languagesLoaded(bytes, &inner)
        case 10: self = try Self.restore(bytes, &inner)
        default: self = try Self.aboutTexts(number, bytes, &inner)
        }
        guard inner.isAtEnd else { throw CanonicalError(.trailingBytes, at: inner.offset) }
    }

    private static func open(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        switch try cursor.nextField(in: bytes) {
        case 1: return .open(try cursor.repositoryID(of: try cursor.uint(bytes)))
        case 2:
            guard let index = Int(exactly: try cursor.uintOrZero(bytes)) else {
                throw CanonicalError(.notCanonical, at: cursor.offset)
            }
            return .openAt(index: index)
        case nil: throw CanonicalError(.missingField(1), at: cursor.offset)
        default: throw cursor.unknown()
        }
    }

    private static func loaded(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        var name = ""
        var items: [Repository] = []
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: name = try cursor.text(bytes)
            case 2: items.append(try cursor.message(bytes))
            default: throw cursor.unknown()
            }
        }
        return .loaded(language: name, items)
    }

    private static func languagesLoaded(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        var names: [String] = []
        while let number = try cursor.nextField(in: bytes) {
            guard number == 1 else { throw cursor.unknown() }
            names.append(try cursor.textElement(bytes))
        }
        return .languagesLoaded(names)
    }

    private static func restore(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        var patch = TablePatch<Repository>()
        var name = ""
        var names: [String] = []
        var isLive = false
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1:
                patch = try cursor.singleMessage(bytes)
                guard !patch.isEmpty else { throw CanonicalError(.notCanonical, at: cursor.offset) }
            case 2: name = try cursor.text(bytes)
            case 3: names.append(try cursor.textElement(bytes))
            case 4: isLive = try cursor.bool(bytes)
            default: throw cursor.unknown()
            }
        }
        return .restore(patch, language: name, languages: names, isLive: isLive)
    }

    /// The cases that are a language, a reason, or both.
    private static func aboutTexts(
        _ choice: UInt32, _ bytes: RawSpan, _ cursor: inout CanonicalCursor
    ) throws(CanonicalError) -> Self {
        var name = ""
        var reason = ""
        while let number = try cursor.nextField(in: bytes) {
            switch (choice, number) {
            case (2, 1), (3, 1), (7, 1): name = try cursor.text(bytes)
            case (7, 2), (9, 2): reason = try cursor.text(bytes)
            default: throw cursor.unknown()
            }
        }
        return switch choice {
        case 2: .setLanguage(name)
        case 3: .browse(name)
        case 7: .loadFailed(language: name, reason: reason)
        default: .languagesFailed(reason: reason)
        }
    }
}

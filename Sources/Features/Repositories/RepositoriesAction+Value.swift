public import Reducing
import Restoring

extension Repositories.Action: ValueConvertible {
    /// One field, the case: `{"setLanguage": {"language": "C++"}}`.
    public var value: Value {
        switch self {
        case .reload: ["reload": [:]]
        case .setLanguage(let name): ["setLanguage": ["language": .text(name)]]
        case .browse(let name): ["browse": ["language": .text(name)]]
        case .open(let id): ["open": ["id": .int(Int64(clamping: id))]]
        case .openAt(let index): ["open": ["index": .int(Int64(index))]]
        case .loadLanguages: ["loadLanguages": [:]]
        case .loaded(let name, let items): ["loaded": ["language": .text(name), "items": items.value]]
        case .loadFailed(let name, let reason): ["loadFailed": ["language": .text(name), "reason": .text(reason)]]
        case .languagesLoaded(let names): ["languagesLoaded": ["languages": names.value]]
        case .languagesFailed(let reason): ["languagesFailed": ["reason": .text(reason)]]
        case .restore(let patch, let name, let names, let isLive):
            [
                "restore": [
                    "items": patch.value, "language": .text(name), "languages": names.value, "isLive": .bool(isLive),
                ]
            ]
        }
    }

    /// Reads one field, the case.
    public init(_ value: Value) throws(ValueMismatch) {
        let choice = try RecordReader.choice(value)
        do throws(ValueMismatch) {
            var record = try RecordReader(choice.value)
            self = try Self.read(choice.name, &record)
            try record.end()
        } catch { throw error.under(choice.name) }
    }

    private static func read(_ name: String, _ record: inout RecordReader) throws(ValueMismatch) -> Self {
        switch name {
        case "reload": return .reload
        case "setLanguage": return .setLanguage(try record.required("language"))
        case "browse": return .browse(try record.required("language"))
        case "open":
            guard let index = try record.optional("index", as: Int64.self) else {
                return .open(try record.required("id", as: ElementID.self).number)
            }
            return .openAt(index: Int(index))
        case "loadLanguages": return .loadLanguages
        case "loaded": return .loaded(language: try record.required("language"), try record.required("items"))
        case "loadFailed": return .loadFailed(language: try record.required("language"), reason: try record.required("reason"))
        case "languagesLoaded": return .languagesLoaded(try record.required("languages"))
        case "languagesFailed": return .languagesFailed(reason: try record.required("reason"))
        case "restore":
            return .restore(
                try record.required("items"), language: try record.required("language"),
                languages: try record.required("languages"), isLive: try record.required("isLive"))
        default: throw ValueMismatch("", "there is no such action")
        }
    }
}

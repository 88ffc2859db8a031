public import Reducing
import Restoring

extension Posts.Action: ValueConvertible {
    /// One field, the case: `{"append": {"items": [...], "nextPage": 3}}`.
    public var value: Value {
        switch self {
        case .fetch: ["fetch": [:]]
        case .more: ["more": [:]]
        case .add(let id): ["add": ["id": .int(Int64(clamping: id))]]
        case .set(let posts, let nextPage): ["set": ["items": posts.value, "nextPage": .int(nextPage)]]
        case .append(let posts, let nextPage): ["append": ["items": posts.value, "nextPage": .int(nextPage)]]
        case .failed(let reason): ["failed": ["reason": .text(reason)]]
        case .restore(let patch, let nextPage): ["restore": ["items": patch.value, "nextPage": .int(nextPage)]]
        }
    }

    /// Reads one field, the case.
    public init(_ value: Value) throws(ValueMismatch) {
        let choice = try RecordReader.choice(value)
        do throws(ValueMismatch) {
            var record = try RecordReader(choice.value)
            switch choice.name {
            case "fetch": self = .fetch
            case "more": self = .more
            case "add": self = .add(try record.required("id", as: ElementID.self).number)
            case "set": self = .set(try record.required("items"), nextPage: try record.optional("nextPage") ?? 0)
            case "append": self = .append(try record.required("items"), nextPage: try record.optional("nextPage") ?? 0)
            case "failed": self = .failed(try record.required("reason"))
            case "restore": self = .restore(try record.required("items"), nextPage: try record.optional("nextPage") ?? 0)
            default: throw ValueMismatch("", "there is no such action")
            }
            try record.end()
        } catch { throw error.under(choice.name) }
    }
}

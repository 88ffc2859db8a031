public import ActionCoding
public import Reducing
import Restoring

extension Alerts.Action: ValueConvertible {
    /// One field, the case: `{"dismiss": {"id": 1}}`.
    public var value: Value {
        switch self {
        case .raise(let text, 0): ["raise": ["text": .text(text)]]
        case .raise(let text, let id): ["raise": ["id": .int(Int64(clamping: id)), "text": .text(text)]]
        case .dismiss(let id): ["dismiss": ["id": .int(Int64(clamping: id))]]
        case .dismissAll: ["dismissAll": [:]]
        case .restore(let patch): ["restore": patch.value]
        }
    }

    /// Reads one field, the case.
    public init(_ value: Value) throws(ValueMismatch) {
        let choice = try RecordReader.choice(value)
        do throws(ValueMismatch) {
            if choice.name == "restore" {
                self = .restore(try TablePatch(choice.value))
                return
            }
            var record = try RecordReader(choice.value)
            switch choice.name {
            case "raise":
                self = .raise(try record.required("text"), id: try record.optional("id", as: ElementID.self)?.number ?? 0)
            case "dismiss": self = .dismiss(try record.required("id", as: ElementID.self).number)
            case "dismissAll": self = .dismissAll
            default: throw ValueMismatch("", "there is no such action")
            }
            try record.end()
        } catch { throw error.under(choice.name) }
    }
}

extension Alerts.Action: CanonicalCodable {
    /// One field, the case, with a message: 1 raise (1 id, 2 text), 2 dismiss (1 id), 3 dismissAll,
    /// 4 restore (as `TablePatch`).
    public func encode(into writer: inout CanonicalWriter) {
        switch self {
        case .raise(let text, let id): writer.message(1, Alert(id: id, text: text))
        case .dismiss(let id): writer.message(2) { $0.field(1, id) }
        case .dismissAll: writer.message(3) { _ in }
        case .restore(let patch): writer.message(4, patch)
        }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        guard (1...4).contains(number) else { throw cursor.unknown() }
        var inner = try cursor.enterSingle(bytes)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
        switch number {
        case 1:
            let alert = try Alert(from: bytes, &inner)
            self = .raise(alert.text, id: alert.id)
        case 2:
            guard let field = try inner.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: inner.offset) }
            guard field == 1 else { throw inner.unknown() }
            self = .dismiss(try inner.id(bytes))
        case 3: self = .dismissAll
        default: self = .restore(try TablePatch(from: bytes, &inner))
        }
        guard inner.isAtEnd else { throw CanonicalError(.trailingBytes, at: inner.offset) }
    }
}

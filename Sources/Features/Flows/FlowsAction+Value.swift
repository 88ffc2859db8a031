public import Reducing
import Restoring

extension Flows.Action: ValueConvertible {
    /// One field, the case: `{"answer": {"id": 1, "text": "C++"}}`.
    public var value: Value {
        switch self {
        case .start(let kind): ["start": ["kind": .text(kind)]]
        case .answer(let id, let text): ["answer": .record([Self.id(id), .init("text", .text(text))])]
        case .cancel(let id): ["cancel": .record([Self.id(id)])]
        case .started(let flow): ["started": flow.value]
        case .ended(let id, let result): ["ended": .record([Self.id(id)] + (result.map { [.init("result", .text($0))] } ?? []))]
        case .offered(let id, let options): ["offered": .record([Self.id(id), .init("options", options.value)])]
        case .restore(let patch): ["restore": patch.value]
        }
    }

    /// Reads one field, the case.
    public init(_ value: Value) throws(ValueMismatch) {
        let choice = try RecordReader.choice(value)
        do throws(ValueMismatch) {
            if choice.name == "started" {
                self = .started(try Flow(choice.value))
                return
            }
            if choice.name == "restore" {
                self = .restore(try TablePatch(choice.value))
                return
            }
            var record = try RecordReader(choice.value)
            self = try Self.read(choice.name, &record)
            try record.end()
        } catch { throw error.under(choice.name) }
    }

    private static func read(_ name: String, _ record: inout RecordReader) throws(ValueMismatch) -> Self {
        switch name {
        case "start": return .start(kind: try record.required("kind"))
        case "answer": return .answer(try id(&record), try record.required("text"))
        case "cancel": return .cancel(try id(&record))
        case "ended": return .ended(try id(&record), result: try record.optional("result"))
        case "offered": return .offered(try id(&record), options: try record.required("options"))
        default: throw ValueMismatch("", "there is no such action")
        }
    }

    private static func id(_ id: UInt64) -> Value.Field { .init("id", .int(Int64(clamping: id))) }

    private static func id(_ record: inout RecordReader) throws(ValueMismatch) -> UInt64 {
        try record.required("id", as: ElementID.self).number
    }
}

public import ActionCoding
public import CounterFeature
public import Reducing
public import TodosFeature

extension App {
    /// What can happen in the daemon: one case for each feature.
    public enum Action: Sendable, Equatable {
        /// Something about the todo list.
        case todos(Todos.Action)
        /// Something about the counter.
        case counter(Counter.Action)
    }
}

extension App.Action: ValueConvertible {
    /// One field, the feature: `{"counter": {"increment": {}}}`.
    public var value: Value {
        switch self {
        case .todos(let action): ["todos": action.value]
        case .counter(let action): ["counter": action.value]
        }
    }

    /// Reads one field, the feature.
    public init(_ value: Value) throws(ValueMismatch) {
        let choice = try RecordReader.choice(value)
        do throws(ValueMismatch) {
            switch choice.name {
            case "todos": self = .todos(try Todos.Action(choice.value))
            case "counter": self = .counter(try Counter.Action(choice.value))
            default: throw ValueMismatch("", "there is no such feature")
            }
        } catch { throw error.under(choice.name) }
    }
}

extension App.Action: CanonicalCodable {
    /// One field, the feature, with its action: 1 todos, 2 counter.
    public func encode(into writer: inout CanonicalWriter) {
        switch self {
        case .todos(let action): writer.message(1, action)
        case .counter(let action): writer.message(2, action)
        }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        switch try cursor.nextField(in: bytes) {
        case 1: self = .todos(try cursor.singleMessage(bytes))
        case 2: self = .counter(try cursor.singleMessage(bytes))
        case nil: throw CanonicalError(.missingField(1), at: cursor.offset)
        default: throw cursor.unknown()
        }
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
    }
}

public import ActionCoding
public import CounterFeature
public import Reducing
public import TodosFeature

extension App {
    /// The state of the whole daemon: one slice for each feature.
    public struct State: Sendable, Equatable {
        /// The todo list.
        public var todos: Todos.State
        /// The counter.
        public var counter: Counter.State

        /// Makes a state; left out, each slice is what it begins with.
        public init(todos: Todos.State = .init(), counter: Counter.State = .init()) {
            self.todos = todos
            self.counter = counter
        }
    }
}

extension App.State: ValueConvertible {
    /// `{todos, counter}`.
    public var value: Value { ["todos": todos.value, "counter": counter.value] }

    /// Reads `{todos, counter}`; a feature that is left out has its initial state.
    public init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        self.init(todos: try record.optional("todos") ?? .init(), counter: try record.optional("counter") ?? .init())
        try record.end()
    }
}

extension App.State: CanonicalCodable {
    /// Fields: 1 todos, 2 counter, each left out in its initial state.
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, todos)
        writer.field(2, counter)
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        while let number = try cursor.nextField(in: bytes) {
            let start = cursor.offset
            switch number {
            case 1: todos = try cursor.singleMessage(bytes)
            case 2: counter = try cursor.singleMessage(bytes)
            default: throw cursor.unknown()
            }
            // An empty slice is its length, 0, and should have been left out.
            guard cursor.offset > start + 1 else { throw CanonicalError(.notCanonical, at: start) }
        }
    }
}

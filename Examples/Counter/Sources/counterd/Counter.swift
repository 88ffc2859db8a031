import EventSourcedDaemon

@main enum Counterd: DaemonProgram {
    typealias App = Counter
    static let program = Program(name: "counterd", abstract: "Counts, and remembers how it came to its count.")
}

/// A whole number that goes up and down.
enum Counter: DaemonApp {
    struct State: Number { var count: Int64 = 0 }
    struct Action: Number { var add: Int64 = 0 }
    typealias Command = Never

    static let initialState = State()
    static let scopes = ["count"]
    static let shape: Shape = ["count": .int]

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        let isPossible = -limit...limit ~= action.add && -limit...limit ~= state.count + action.add
        if isPossible { return [action] } else { throw Refusal("CounterAtLimit", "no count is beyond \(limit)") }
    }
    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        state.count &+= action.add
        return []
    }

    static func changedScopes(from old: State, to new: State) -> ScopeSet { old == new ? [] : scopes(of: Action()) }
    static func scopes(of action: Action) -> ScopeSet { ScopeSet(index: 0) }
    static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        old == new ? [] : [Change(path: "", kind: .set, old: old.value, new: new.value)]
    }
    static func outline(of state: State) -> Value { state.value }
    static func lists(of state: State) -> [ListView] { [] }
    static func view(of state: State) -> Value { state.value }
    static func restored(_ present: State, from after: State, to before: State) -> Restored<State> {
        Restored(State(count: present.count + before.count - after.count))
    }
    static func compensation(from present: State, to wanted: State) -> [Action] {
        present == wanted ? [] : [Action(add: wanted.count - present.count)]
    }
    private static let limit = Int64(1) << 52
}

extension Counter.State { static var field: (name: String, place: WritableKeyPath<Self, Int64>) { ("count", \.count) } }
extension Counter.Action { static var field: (name: String, place: WritableKeyPath<Self, Int64>) { ("add", \.add) } }

/// A record of one number, as bytes in the log and as JSON on the wire.
protocol Number: Equatable, CanonicalCodable, ValueConvertible {
    init()
    static var field: (name: String, place: WritableKeyPath<Self, Int64>) { get }
}

extension Number {
    var value: Value { .record([.init(Self.field.name, .int(self[keyPath: Self.field.place]))]) }
    init(_ value: Value) throws(ValueMismatch) {
        self.init()
        var record = try RecordReader(value)
        self[keyPath: Self.field.place] = try record.optional(Self.field.name) ?? 0
        try record.end()
    }
    func encode(into writer: inout CanonicalWriter) { writer.field(1, self[keyPath: Self.field.place]) }
    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        while let number = try cursor.nextField(in: bytes) {
            guard number == 1 else { throw cursor.unknown() }
            self[keyPath: Self.field.place] = try cursor.int(bytes)
        }
    }
}

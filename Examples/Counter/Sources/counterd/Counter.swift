import EventSourcedDaemon

/// A daemon around a counter: its log, its socket, its past and its undo come with the program.
@main enum Counterd: DaemonProgram {
    typealias App = Counter
    static let program = Program(name: "counterd", version: "1.0.0", abstract: "Counts, and remembers how it came to its count.")
}

extension Counter: DaemonApp {
    static let documentation = ["counterd": "A whole number.", "add": "Adds an amount, which may be below 0."]
}

/// A whole number that goes up and down: what there is, what can happen, whether it may, and what comes of it.
///
/// A type shows its fields to visitors, each with a number that stays on disk and a name on the wire; `.shown` are those that are always
/// written, `.required` those that a client must give. An action is one of several cases by number: `blank` makes it, `visited` reads and writes it.
enum Counter: Feature {
    struct State: Fielded {
        var count: Int64 = 0
        mutating func visit<V: FieldVisitor>(_ fields: inout V) throws(V.Failure) { try fields.field(1, "count", &count, .shown) }
    }
    struct Action: Cased {
        var amount: Int64 = 0
        static func blank(_ number: UInt32) -> Action? { number == 1 ? Action() : nil }
        consuming func visited<V: FieldVisitor>(by fields: inout V) throws(V.Failure) -> Action {
            fields.choose(1, "add")
            try fields.field(1, "amount", &amount, .required)
            return self
        }
    }
    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        if state.count.addingExactly(action.amount) != nil { return [action] }
        throw Refusal("CounterAtLimit", "no count is beyond \(Int64.exactMax)")
    }
    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        state.count = state.count.addingExactly(action.amount) ?? state.count
        return []
    }
    static func compensation(from now: State, to old: State) -> [Action] { now.count.exactSteps(to: old.count).map(Action.init) }
}

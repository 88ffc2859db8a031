import EventSourcedDaemon

@main enum Counterd: DaemonProgram {
    typealias App = Counter
    static let program = Program(name: "counterd", abstract: "Counts, and remembers how it came to its count.")
}

/// A whole number that goes up and down.
enum Counter: DaemonApp {
    static let documentation = ["counterd": "A whole number.", "add": "Adds an amount, which may be below 0."]
    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        if sum(state, action) != nil { return [action] }
        throw Refusal("CounterAtLimit", "no count is beyond \(Int64.exactMax)")
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        state = sum(state, action) ?? state
        return []
    }

    static func compensation(from present: State, to wanted: State) -> [Action] {
        present == wanted ? [] : [.add(wanted.count - present.count)]
    }

    private static func sum(_ state: State, _ action: Action) -> State? {
        let (count, isOverflow) = state.count.addingReportingOverflow(action.amount)
        return isOverflow || State(count: count).fault != nil ? nil : State(count: count)
    }
}

extension Counter {
    struct State: Fielded {
        var count: Int64 = 0

        mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.field(1, "count", &count, .shown)
        }

        var fault: ValueMismatch? { count.magnitude <= Int64.exactMax ? nil : ValueMismatch("count", "it is too large") }
    }

    enum Action: Cased {
        case add(Int64)

        static func blank(_ number: UInt32) -> Action? { number == 1 ? .add(0) : nil }

        consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            var amount = amount
            visitor.choose(1, "add")
            try visitor.field(1, "amount", &amount, .required)
            return .add(amount)
        }

        var amount: Int64 {
            switch self {
            case .add(let amount): amount
            }
        }
    }
}

import EventSourcedDaemon

@main enum Counterd: DaemonProgram {
    typealias App = Counter
    static let program = Program(name: "counterd", abstract: "Counts, and remembers how it came to its count.")
}

/// A whole number that goes up and down.
enum Counter: DaemonApp {
    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        let (count, isOverflow) = state.count.addingReportingOverflow(action.amount)
        if !isOverflow, State(count: count).fault == nil { return [action] }
        throw Refusal("CounterAtLimit", "no count is beyond \(Int64.exactMax)")
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        state.count &+= action.amount
        return []
    }

    static func restored(_ present: State, from after: State, to before: State) -> Restored<State> {
        Restored(State(count: present.count + before.count - after.count))
    }

    static func compensation(from present: State, to wanted: State) -> [Action] {
        present == wanted ? [] : [.add(wanted.count - present.count)]
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

        static let blanks: [Action?] = [.add(0)]

        mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            var amount = amount
            visitor.choose(1, "add")
            try visitor.field(1, "amount", &amount, .required)
            self = .add(amount)
        }

        var amount: Int64 {
            switch self {
            case .add(let amount): amount
            }
        }
    }
}

public import Chronicle

extension Counter {
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch (action, state.count) {
        case (.increment, .exactMax): throw refusal(.counterAtMaximum, "the counter stands at its maximum, \(Int64.exactMax)")
        case (.decrement, -.exactMax): throw refusal(.counterAtMinimum, "the counter stands at its minimum, \(-Int64.exactMax)")
        default: return [action]
        }
    }

    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        switch action {
        case .increment: state.count = state.count.addingExactly(1) ?? state.count
        case .decrement: state.count = state.count.addingExactly(-1) ?? state.count
        case .reset: state.count = 0
        case .shift(let amount): state.count = state.count.addingExactly(amount) ?? state.count
        }
        return []
    }

    public static func viewParts(of state: State) -> ViewParts {
        ViewParts(["count": .int(state.count), "sign": .text(["negative", "zero", "positive"][Int(state.count.signum()) + 1])])
    }

    public static func compensatingActions(from present: State, to wanted: State) -> [Action] {
        present.count.exactSteps(to: wanted.count).map { $0 == 1 ? .increment : $0 == -1 ? .decrement : .shift(by: $0) }
    }
}

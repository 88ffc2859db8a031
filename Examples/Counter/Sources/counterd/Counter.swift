import ChronicleDaemon

/// A daemon around a counter: its log, its socket, its history and its undo come with the library.
@main enum Counterd: DaemonProgram {
    typealias App = Counter
    static let program = Program(name: "counterd", version: "1.0.0", abstract: "Counts, and remembers how it came to its count.")
}

/// The rules of the counter. Its state and its actions are described in `Counter.feature`.
extension Counter: DaemonApp {
    /// Decides whether an action is logged.
    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        guard case .add(let amount) = action, state.count.addingExactly(amount) != nil else {
            throw refusal(.counterAtLimit, "no count is beyond \(Int64.exactMax)")
        }
        return [action]
    }

    /// Applies a logged action.
    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        if case .add(let amount) = action { state.count = state.count.addingExactly(amount) ?? state.count }
        return []
    }

    /// The actions that lead from one state to another, for undo.
    static func compensatingActions(from now: State, to old: State) -> [Action] {
        now.count.exactSteps(to: old.count).map { .add(amount: $0) }
    }
}

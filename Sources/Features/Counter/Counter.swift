public import Reducing

/// A whole number that goes up and down.
public enum Counter: Feature {
    /// There are no commands.
    public typealias Command = Never

    /// The largest count, and the smallest with a minus: 2^53 - 1, so that every client's JSON keeps it exact.
    public static let countMax = Int64.exactMax

    /// The field of the state.
    public static let scopes = ["count"]

    /// Refuses to count beyond the limits: `CounterAtMaximum`, `CounterAtMinimum`.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .increment where state.count >= countMax:
            throw Refusal("CounterAtMaximum", "the counter stands at its maximum, \(countMax)")
        case .decrement where state.count <= -countMax:
            throw Refusal("CounterAtMinimum", "the counter stands at its minimum, \(-countMax)")
        case .increment, .decrement, .reset, .shift:
            return [action]
        }
    }

    /// Counts; beyond what a count can be nothing changes.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        switch action {
        case .increment: count(&state, by: 1)
        case .decrement: count(&state, by: -1)
        case .reset: state.count = 0
        case .shift(let difference): count(&state, by: difference)
        }
        return []
    }

    private static func count(_ state: inout State, by step: Int64) {
        let (count, isOverflow) = state.count.addingReportingOverflow(step)
        if !isOverflow, count.magnitude <= countMax.magnitude { state.count = count }
    }

    /// The count, if it differs.
    public static func changedScopes(from old: State, to new: State) -> ScopeSet {
        old == new ? [] : ScopeSet(index: 0)
    }

    /// The count.
    public static func scopes(of action: Action) -> ScopeSet { ScopeSet(index: 0) }

    /// The count, if it differs.
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        if old == new { return [] }
        guard limit > 0 else { return nil }
        return [Change(path: "", kind: .set, old: ["count": .int(old.count)], new: ["count": .int(new.count)])]
    }

    /// The count.
    public static let shape: Shape = ["count": .int]

    /// The state, which has no lists.
    public static func outline(of state: State) -> Value { state.value }

    /// None.
    public static func lists(of state: State) -> [ListView] { [] }

    /// The count and its sign: `positive`, `zero` or `negative`.
    public static func view(of state: State) -> Value {
        let sign = state.count > 0 ? "positive" : state.count < 0 ? "negative" : "zero"
        return ["count": .int(state.count), "sign": .text(sign)]
    }
}

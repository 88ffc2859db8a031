public import Fields

/// A whole number that goes up and down.
public enum Counter: Feature {
    /// There are no commands.
    public typealias Command = Never

    /// The largest count, and the smallest with a minus: 2^53 - 1, so that every client's JSON keeps it exact.
    public static let countMax = Int64.exactMax

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
        state.count = state.count.addingExactly(step) ?? state.count
    }

    /// The count, if it differs.
    public static func changedScopes(from old: State, to new: State) -> ScopeSet { old == new ? [] : ScopeSet(index: 0) }

    /// The count.
    public static func scopes(of action: Action) -> ScopeSet { ScopeSet(index: 0) }

    /// The count and its sign: `positive`, `zero` or `negative`.
    public static func viewParts(of state: State) -> ViewParts {
        let sign = state.count > 0 ? "positive" : state.count < 0 ? "negative" : "zero"
        return ViewParts(["count": .int(state.count), "sign": .text(sign)])
    }

    /// A fact for a shift: it takes back what was counted.
    public static func nature(of action: Action) -> ActionNature { if case .shift = action { .fact } else { .order } }

    /// The count, by a reset.
    public static func wipes(_ action: Action) -> ScopeSet { if case .reset = action { ScopeSet(index: 0) } else { [] } }

    /// The count.
    public static var wipeable: ScopeSet { ScopeSet(index: 0) }

    /// Counts the opposite difference, so that what was counted since stays; a conflict only where no count can be that large.
    public static func takenBack(_ present: State, from after: State, to before: State) -> TakenBack<State> {
        // Counts have 54 bits, so this can't overflow.
        let count = present.count + (before.count - after.count)
        guard count.magnitude <= countMax.magnitude else {
            return TakenBack(before, conflicts: [Conflict("count", expected: .int(after.count), found: .int(present.count))])
        }
        return TakenBack(State(count: count))
    }

    /// One more, one less, or a shift by what is missing.
    public static func compensation(from present: State, to wanted: State) -> [Action] {
        present.count.exactSteps(to: wanted.count).map { step in
            step == 1 ? .increment : step == -1 ? .decrement : .shift(by: step)
        }
    }
}

extension Counter {
    /// Where the counter stands.
    public struct State: Fielded {
        /// From -(2^53 - 1) to 2^53 - 1.
        public var count: Int64

        /// Makes a state.
        public init(count: Int64) { self.count = count }

        /// Makes the state that everything begins with.
        public init() { self.init(count: 0) }

        /// Its fields.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.field(1, "count", &count, .shown)
        }

        /// A count beyond the limits.
        public var fault: ValueMismatch? {
            count.magnitude <= countMax.magnitude
                ? nil : ValueMismatch("count", "the counter goes from -\(countMax) to \(countMax)")
        }
    }

    /// What can happen to the counter.
    public enum Action: Cased {
        /// One more.
        case increment
        /// One less.
        case decrement
        /// Back to 0.
        case reset
        /// So many more, or less: what was counted is taken back. No client dispatches it.
        case shift(by: Int64)

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Action? {
            switch number {
            case 1: .increment
            case 2: .decrement
            case 3: .reset
            case 4: .shift(by: 0)
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .increment:
                visitor.choose(1, "increment")
                return .increment
            case .decrement:
                visitor.choose(2, "decrement")
                return .decrement
            case .reset:
                visitor.choose(3, "reset")
                return .reset
            case .shift(var difference):
                visitor.choose(4, "shift")
                try visitor.field(1, "by", &difference, .needed)
                return .shift(by: difference)
            }
        }
    }
}

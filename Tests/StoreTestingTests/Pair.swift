import Reducing

/// Two tallies side by side, two deep; the right one's `nothing` meddles with the left one, as no feature should.
enum Pair: Feature {
    struct State: Sendable, Equatable {
        var left = Tally.State()
        var right = Tally.State()
    }

    enum Action: Sendable, Equatable {
        case left(Tally.Action)
        case right(Tally.Action)
        case meddle
    }

    static let left = Scope<Pair, Tally>(
        state: \.left, modify: { $1(&$0.left) }, embed: Action.left,
        extract: { if case .left(let action) = $0 { action } else { nil } })
    static let right = Scope<Pair, Tally>(
        state: \.right, modify: { $1(&$0.right) }, embed: Action.right,
        extract: { if case .right(let action) = $0 { action } else { nil } })

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .left(let action): try Tally.prepare(action, state.left, context).map(Action.left)
        case .right(.nothing): [.meddle]
        case .right(let action): try Tally.prepare(action, state.right, context).map(Action.right)
        case .meddle: [action]
        }
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Tally.Command] {
        switch action {
        case .left(let action): return Tally.reduce(&state.left, action, context)
        case .right(let action): return Tally.reduce(&state.right, action, context)
        case .meddle:
            state.left.count += 1
            state.right.count += 1
            return []
        }
    }

    static let scopes = ["left", "right"]
    static func changedScopes(from old: State, to new: State) -> ScopeSet { old == new ? [] : ScopeSet(rawValue: 3) }
    static func scopes(of action: Action) -> ScopeSet { ScopeSet(rawValue: 3) }
    static func changes(from old: State, to new: State, limit: Int) -> [Change]? { old == new ? [] : nil }
    static func summary(of state: State) -> Value { ["left": Tally.summary(of: state.left)] }
    static func lists(of state: State) -> [ListView] { [] }
    static func viewParts(of state: State) -> ViewParts { ViewParts(summary(of: state)) }
}

/// A root one level further up.
enum House: Feature {
    struct State: Sendable, Equatable {
        var pair = Pair.State()
    }

    enum Action: Sendable, Equatable {
        case open
        case pair(Pair.Action)
    }

    static let pair = Scope<House, Pair>(
        state: \.pair, modify: { $1(&$0.pair) }, embed: Action.pair,
        extract: { if case .pair(let action) = $0 { action } else { nil } })

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        guard case .pair(let inner) = action else { return [] }
        return try Pair.prepare(inner, state.pair, context).map(Action.pair)
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Tally.Command] {
        guard case .pair(let inner) = action else { return [] }
        return Pair.reduce(&state.pair, inner, context)
    }

    static let scopes = ["pair"]
    static func changedScopes(from old: State, to new: State) -> ScopeSet { old == new ? [] : ScopeSet(index: 0) }
    static func scopes(of action: Action) -> ScopeSet { ScopeSet(index: 0) }
    static func changes(from old: State, to new: State, limit: Int) -> [Change]? { old == new ? [] : nil }
    static func summary(of state: State) -> Value { ["pair": Pair.summary(of: state.pair)] }
    static func lists(of state: State) -> [ListView] { [] }
    static func viewParts(of state: State) -> ViewParts { ViewParts(summary(of: state)) }
}

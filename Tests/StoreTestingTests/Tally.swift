import Reducing

/// A counter that can fetch its number from elsewhere: the smallest feature with all that a test store watches.
enum Tally: Feature {
    struct State: Sendable, Equatable {
        var count: Int64 = 0
        var changed: Int64?
        var by: UInt32?
    }

    enum Action: Sendable, Equatable {
        case increment
        case add(Int64)
        case touch
        case nothing
        case double
        case fetch(from: String)
        case show
        case fetched(Int64)
    }

    enum Command: NamedCommand {
        case fetch(from: String)
        case open(page: String)

        var name: String {
            switch self {
            case .fetch: "tally.fetch"
            case .open: "tally.open"
            }
        }

        var isPresentational: Bool { self == .open(page: "tally") }
    }

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .add(let amount), .fetched(let amount):
            guard amount >= 0 else { throw Refusal("NegativeAmount", "An amount is at least 0.") }
            return [action]
        case .double: return [.add(state.count), .touch]
        case .nothing: return []
        case .increment, .touch, .fetch, .show: return [action]
        }
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .increment: state.count += 1
        case .add(let amount): state.count += amount
        case .fetched(let count): state.count = count
        case .touch:
            state.changed = context.time
            state.by = context.origin
        case .fetch(let source): return [.fetch(from: source)]
        case .show: return [.open(page: "tally")]
        case .nothing, .double: break
        }
        return []
    }

    static let scopes = ["count"]
    static func changedScopes(from old: State, to new: State) -> ScopeSet { old == new ? [] : ScopeSet(index: 0) }
    static func scopes(of action: Action) -> ScopeSet { ScopeSet(index: 0) }
    static func changes(from old: State, to new: State, limit: Int) -> [Change]? { old == new ? [] : nil }
    static func outline(of state: State) -> Value { ["count": .int(state.count)] }
    static func lists(of state: State) -> [ListView] { [] }
    static func view(of state: State) -> Value { outline(of: state) }
}

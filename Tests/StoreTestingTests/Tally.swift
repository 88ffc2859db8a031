import Reducing

/// A counter that can fetch its number from elsewhere: the smallest feature with all that a test store watches.
enum Tally: Feature {
    struct State: Sendable, Equatable {
        var count: Int64 = 0
        var changed: Int64?
        var by: UInt32?
        var isCounting = false
        var failure: String?
        var displaced = 0
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
        case countAll
        case stopCounting
        case counted(Int64)
        case uncounted(String)
        case displaced
    }

    enum Command: NamedCommand {
        case fetch(from: String)
        case open(page: String)
        case count
        case stop

        var name: String {
            switch self {
            case .fetch: "tally.fetch"
            case .open: "tally.open"
            case .count: "tally.count"
            case .stop: "tally.stop"
            }
        }

        var policy: CommandPolicy {
            switch self {
            case .fetch, .open: CommandPolicy()
            case .count: CommandPolicy(cancelID: "count")
            case .stop: CommandPolicy(cancelID: "count", isCancellation: true)
            }
        }

        var isPresentational: Bool { self == .open(page: "tally") }
    }

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .add(let amount), .fetched(let amount), .counted(let amount):
            guard amount >= 0 else { throw Refusal("NegativeAmount", "An amount is at least 0.") }
            return [action]
        case .double: return [.add(state.count), .touch]
        case .nothing: return []
        case .increment, .touch, .fetch, .show, .countAll, .stopCounting, .uncounted, .displaced: return [action]
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
        case .countAll:
            state.isCounting = true
            return [.count]
        case .stopCounting: return [.stop]
        case .counted(let count):
            state.count = count
            state.isCounting = false
        case .uncounted(let reason):
            state.failure = reason.isEmpty ? nil : reason
            state.isCounting = reason == "look"
        case .displaced: state.displaced += 1
        case .nothing, .double: break
        }
        return []
    }

    static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        guard command == .count else { return nil }
        return switch end {
        case .failed(let reason), .parked(let reason): .uncounted(reason)
        case .superseded: .displaced
        case .cancelled, .skipped: .uncounted("")
        }
    }

    static func nature(of action: Action) -> ActionNature {
        switch action {
        case .counted, .uncounted, .displaced: .fact
        default: .order
        }
    }

    static let scopes = ["count"]
    static func changedScopes(from old: State, to new: State) -> ScopeSet { old == new ? [] : ScopeSet(index: 0) }
    static func scopes(of action: Action) -> ScopeSet { ScopeSet(index: 0) }
    static func changes(from old: State, to new: State, limit: Int) -> [Change]? { old == new ? [] : nil }
    static func summary(of state: State) -> Value { ["count": .int(state.count)] }
    static func lists(of state: State) -> [ListView] { [] }
    static func viewParts(of state: State) -> ViewParts { ViewParts(summary(of: state)) }
}

import Reducing
import Synchronization

/// A feature with a fault: it gives another result each time it is asked.
enum Drifting: Feature {
    enum Action: Sendable, Equatable {
        case drift
        case driftBefore
        case drifted(Int64)
    }

    private static let asked = Mutex<Int64>(0)

    private static func next() -> Int64 {
        asked.withLock { count in
            count += 1
            return count
        }
    }

    static func prepare(_ action: Action, _ state: Int64, _ context: Context) throws(Refusal) -> [Action] {
        action == .driftBefore ? [.drifted(next())] : [action]
    }

    static func reduce(_ state: inout Int64, _ action: Action, _ context: Context) -> [Never] {
        if action == .drift { state = next() }
        return []
    }

    static let scopes = ["count"]
    static func changedScopes(from old: Int64, to new: Int64) -> ScopeSet { old == new ? [] : ScopeSet(index: 0) }
    static func scopes(of action: Action) -> ScopeSet { ScopeSet(index: 0) }
    static func changes(from old: Int64, to new: Int64, limit: Int) -> [Change]? { old == new ? [] : nil }
    static func summary(of state: Int64) -> Value { .int(state) }
    static func lists(of state: Int64) -> [ListView] { [] }
    static func viewParts(of state: Int64) -> ViewParts { ViewParts(.int(state)) }
}

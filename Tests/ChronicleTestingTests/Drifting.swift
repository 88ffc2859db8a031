import Chronicle
import Synchronization

extension Drifting {
    private static let asked = Mutex<Int64>(0)

    private static func next() -> Int64 {
        asked.withLock { count in
            count += 1
            return count
        }
    }

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        action == .driftBefore ? [.drifted(next())] : [action]
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        if action == .drift { state.count = next() }
        return []
    }
}

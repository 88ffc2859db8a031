import Synchronization

/// A value that a test can await without polling or sleeping.
final class Signal<Value: Sendable>: Sendable {
    private let state: Mutex<(value: Value, waiting: [CheckedContinuation<Void, Never>])>

    init(_ value: Value) {
        state = Mutex((value, []))
    }

    var value: Value { state.withLock { $0.value } }

    func change(_ change: (inout Value) -> Void) {
        let waiting = state.withLock { state in
            change(&state.value)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait(until isReached: (Value) -> Bool) async {
        while true {
            if isReached(value) { return }
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    if isReached(state.value) { return false }
                    state.waiting.append(continuation)
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        }
    }
}

import Synchronization

/// A counter that only grows, and tasks that wait for it to reach a value.
final class Milestones: Sendable {
    private typealias Continuation = CheckedContinuation<Result<Void, CancellationError>, Never>

    private struct State {
        var reached = 0
        var lastID = 0
        var waiting: [(id: Int, count: Int, continuation: Continuation)] = []
    }

    private let state = Mutex(State())

    func reach(_ count: Int) {
        let content = state.withLock { state in
            state.reached = max(state.reached, count)
            let content = state.waiting.filter { $0.count <= state.reached }
            state.waiting.removeAll { $0.count <= state.reached }
            return content.map(\.continuation)
        }
        for continuation in content { continuation.resume(returning: .success(())) }
    }

    func reached(_ count: Int) async throws(CancellationError) {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Continuation) in
                // Checked under the lock: a later cancellation finds the registered waiter.
                let result = state.withLock { state -> Result<Void, CancellationError>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.reached >= count { return .success(()) }
                    state.waiting.append((id, count, continuation))
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            state.withLock { state -> Continuation? in
                guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
                return state.waiting.remove(at: index).continuation
            }?.resume(returning: .failure(CancellationError()))
        }.get()
    }
}

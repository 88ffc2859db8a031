import Synchronization

/// A one-shot event: opening it resumes all waiting tasks.
final class OneShotEvent: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            return state.waiting
        }
        for waiter in waiting { waiter.finish() }
    }

    /// Returns when the event has occurred or the task is cancelled; cancellation does not affect other tasks.
    func wait() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let isOpen = state.withLock { state in
            state.waiting.append(continuation)
            return state.isOpen
        }
        if isOpen { return }
        for await _ in stream {}
    }
}

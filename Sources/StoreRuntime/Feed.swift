import Synchronization

/// Shows everybody the state after the last flush; reading it never enters the store.
///
/// The store's thread only swaps the value and rings once; waking those who wait is done on the query thread, so a
/// thousand subscribers cost a writer as much as one.
final class Feed<State: Sendable>: Sendable {
    private struct Waiter {
        var sequence: UInt64
        var scope: Int?
        var redactions: UInt64?
        var continuation: CheckedContinuation<Outcome, Never>

        func isDue(_ present: Present<State>) -> Bool {
            present.lastChange(of: scope) > sequence || redactions.map { $0 != present.redactions } ?? false
        }
    }

    enum Outcome: Sendable {
        case present(Present<State>)
        case cancelled
        case ended
    }

    private struct Content {
        var present: Present<State>
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
        var ended = false
    }

    private let content: Mutex<Content>
    private let bell: SerialThread

    /// Begins with the state after the start; `bell` is the thread on which those who wait are woken.
    init(_ present: Present<State>, bell: SerialThread) {
        content = Mutex(Content(present: present))
        self.bell = bell
        bell.onSignal { [weak self] in self?.wake() }
    }

    /// The state after the last flush.
    var present: Present<State> { content.withLock { $0.present } }

    /// How many wait for a flush.
    var waiting: Int { content.withLock { $0.waiters.count } }

    /// Shows a newer state; on the store's thread.
    func publish(_ present: Present<State>) {
        let old = content.withLock { content -> (Present<State>, Bool) in
            let old = content.present
            content.present = present
            return (old, !content.waiters.isEmpty)
        }
        // `old` is let go of here, outside the lock: the last reference to a large state takes a while.
        if old.1 { bell.signal() }
    }

    /// Ends all waiting, now and later.
    func end() {
        content.withLock { $0.ended = true }
        bell.signal()
    }

    /// Waits until something in the scope (or anything) has changed after `sequence`.
    ///
    /// - Parameter redactions: how many are known; one more is a change, too. `nil`: those do not matter.
    /// - Returns: the state then; `.cancelled` when the task was cancelled, `.ended` when the store stops.
    func next(after sequence: UInt64, in scope: Int?, redactions: UInt64? = nil) async -> Outcome {
        let id = content.withLock { content in
            content.nextWaiter += 1
            return content.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(sequence: sequence, scope: scope, redactions: redactions, continuation: continuation)
                let now = content.withLock { content -> Outcome? in
                    if waiter.isDue(content.present) { return .present(content.present) }
                    if content.ended { return .ended }
                    if Task.isCancelled { return .cancelled }
                    content.waiters[id] = waiter
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            content.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: .cancelled)
        }
    }

    private func wake() {
        let (due, outcome) = content.withLock { content -> ([Waiter], Outcome) in
            let present = content.present
            let ids = content.waiters.filter { content.ended || $0.value.isDue(present) }.keys
            let due = ids.compactMap { content.waiters.removeValue(forKey: $0) }
            return (due, content.ended ? .ended : .present(present))
        }
        for waiter in due { waiter.continuation.resume(returning: outcome) }
    }
}

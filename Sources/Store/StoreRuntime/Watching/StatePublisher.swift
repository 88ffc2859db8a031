import Synchronization

/// Shows everybody the state after the last flush; reading it never enters the store.
///
/// The store's thread only swaps the value and rings once; waking those who wait is done on the query thread, so a
/// thousand subscribers cost a writer as much as one.
final class StatePublisher<State: Sendable>: Sendable {
    private struct Waiter {
        var sequence: UInt64
        var redactions: UInt64?
        var continuation: CheckedContinuation<Outcome, Never>

        func isDue(_ present: CommittedState<State>, in scope: Int?) -> Bool {
            present.lastChange(of: scope) > sequence || redactions.map { $0 != present.redactions } ?? false
        }
    }

    /// Those who wait for a change of one scope.
    private struct Waiters {
        var byNumber: [UInt64: Waiter] = [:]
        /// Up to here nothing is new to any of them.
        var earliest = UInt64.max

        mutating func add(_ waiter: Waiter, _ number: UInt64) {
            byNumber[number] = waiter
            earliest = min(earliest, waiter.sequence)
        }

        mutating func takeDue(_ present: CommittedState<State>, in scope: Int?, all: Bool) -> [Waiter] {
            let due = byNumber.filter { all || $0.value.isDue(present, in: scope) }
            for number in due.keys { byNumber.removeValue(forKey: number) }
            earliest = byNumber.values.map(\.sequence).min() ?? .max
            return Array(due.values)
        }
    }

    enum Outcome: Sendable {
        case present(CommittedState<State>)
        case cancelled
        case ended
    }

    /// Who waits, apart from what they wait for: a publisher never waits while they are looked through.
    private struct Waiting {
        var scopes: [Int?: Waiters] = [:]
        var nextNumber: UInt64 = 0
        var redactions: UInt64
    }

    private let content: Mutex<CommittedState<State>>
    private let waiters: Mutex<Waiting>
    private let hasWaiters = Atomic<Bool>(false)
    private let ended = Atomic<Bool>(false)
    private let waker: SerialThread

    /// Whether somebody is told of changes without waiting here.
    let hasAudience = Atomic<Bool>(false)

    /// Begins with the state after the start; `waker` is the thread that wakes those who wait when it is signalled.
    init(_ present: CommittedState<State>, waker: SerialThread) {
        content = Mutex(present)
        waiters = Mutex(Waiting(redactions: present.redactions))
        self.waker = waker
    }

    /// The state after the last flush.
    var present: CommittedState<State> { content.withLock { $0 } }

    /// Whether nothing more is published.
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// How many wait for a flush.
    var waiting: Int { waiters.withLock { $0.scopes.values.reduce(0) { $0 + $1.byNumber.count } } }

    /// Shows a newer state; on the store's thread.
    func publish(_ present: CommittedState<State>) {
        let old = content.withLock { content in
            let old = content
            content = present
            return old
        }
        // Looked at after the swap: whoever comes later looks at the new state after it has said that it waits.
        if hasWaiters.load(ordering: .sequentiallyConsistent) || hasAudience.load(ordering: .sequentiallyConsistent) {
            wakeSoon()
        }
        // Outside the lock: letting go of the last reference to a large state takes a while.
        _ = consume old
    }

    /// Has those who wait looked through on the query thread.
    func wakeSoon() { waker.signal() }

    /// Ends all waiting, now and later.
    func end() {
        ended.store(true, ordering: .releasing)
        wakeSoon()
    }

    /// Waits until something in the scope (or anything) has changed after `sequence`.
    ///
    /// - Parameter redactions: how many are known; one more is a change, too. `nil`: those do not matter.
    /// - Returns: the state then; `.cancelled` when the task was cancelled, `.ended` when the store stops.
    func next(after sequence: UInt64, in scope: Int?, redactions: UInt64? = nil) async -> Outcome {
        let number = waiters.withLock { waiting in
            waiting.nextNumber += 1
            return waiting.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(sequence: sequence, redactions: redactions, continuation: continuation)
                waiters.withLock { $0.scopes[scope, default: Waiters()].add(waiter, number) }
                hasWaiters.store(true, ordering: .sequentiallyConsistent)
                // Whatever is already there, or came meanwhile, rang for nobody.
                let hasEnded = hasEnded
                let now = present
                if waiter.isDue(now, in: scope) { return resume(number, in: scope, with: .present(now)) }
                if hasEnded { return resume(number, in: scope, with: .ended) }
                if Task.isCancelled { resume(number, in: scope, with: .cancelled) }
            }
        } onCancel: {
            resume(number, in: scope, with: .cancelled)
        }
    }

    private func resume(_ number: UInt64, in scope: Int?, with outcome: Outcome) {
        let waiter = waiters.withLock { $0.scopes[scope]?.byNumber.removeValue(forKey: number) }
        waiter?.continuation.resume(returning: outcome)
    }

    /// Wakes those for whom something is new; on the query thread.
    func wake() {
        // In this order, because nothing is published after the end.
        let hasEnded = hasEnded
        let present = present
        let due = waiters.withLock { waiting in
            let isRedacted = waiting.redactions != present.redactions
            waiting.redactions = present.redactions
            var due: [(waiter: Waiter, outcome: Outcome)] = []
            for (scope, waiters) in waiting.scopes
            where hasEnded || isRedacted || present.lastChange(of: scope) > waiters.earliest {
                var waiters = waiters
                // What came last is told also when it is the last of all.
                due += waiters.takeDue(present, in: scope, all: hasEnded).map {
                    ($0, $0.isDue(present, in: scope) ? .present(present) : .ended)
                }
                waiting.scopes[scope] = waiters.byNumber.isEmpty ? nil : waiters
            }
            hasWaiters.store(!waiting.scopes.isEmpty, ordering: .sequentiallyConsistent)
            return due
        }
        for (waiter, outcome) in due { waiter.continuation.resume(returning: outcome) }
    }
}

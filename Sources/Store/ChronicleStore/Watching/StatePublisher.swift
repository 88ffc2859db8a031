public import Chronicle
public import ChronicleLog
import Synchronization

/// The state after a flush and everything that belongs to that moment.
public struct CommittedState<State: Sendable>: Sendable {
    /// The epoch of the log.
    public var epoch: UInt64
    /// The sequence of the last record.
    public var sequence: UInt64
    /// The time of the last record, in microseconds since 1970; 0 before the first.
    public var time: Int64
    /// The folded state.
    public var state: State
    /// Estimated memory of the state in bytes.
    public var stateBytes = 0
    /// For each scope, the sequence of the record that last changed it.
    public var changedAt: [UInt64]
    /// The number of redactions that the state includes.
    public var redactions: UInt64 = 0
    /// The lock, if dispatches are refused.
    public var lock: Lock?
    /// The invariants.
    public var invariants: [Invariant] = []

    /// Creates a committed state in which every scope counts as changed at `sequence`.
    public init(epoch: UInt64, sequence: UInt64, time: Int64, state: State, scopes: Int) {
        (self.epoch, self.sequence, self.time, self.state) = (epoch, sequence, time, state)
        self.changedAt = Array(repeating: sequence, count: scopes)
    }

    mutating func note(_ changed: ScopeSet, at sequence: UInt64) {
        var rest = changed.rawValue
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            if index < changedAt.count { changedAt[index] = sequence }
            rest &= rest - 1
        }
    }

    /// Whether a scope has changed since an earlier state, or a record was redacted.
    public func isNews(to earlier: CommittedState, in scope: Int?) -> Bool {
        lastChange(of: scope) > earlier.sequence || redactions != earlier.redactions
    }

    func isSame(as other: CommittedState) -> Bool { sequence == other.sequence && redactions == other.redactions }

    /// The last change of a scope; without a scope, the last record.
    public func lastChange(of scope: Int?) -> UInt64 { scope.map { changedAt[$0] } ?? sequence }
}

/// Publishes the state after each flush; reading it never enters the store.
///
/// The store's thread only swaps the value and signals; the query thread resumes the waiters, so their number does not slow writers.
final class StatePublisher<State: Sendable>: Sendable {
    /// The part of the present state that waiting tasks know.
    private struct Progress {
        var sequence: UInt64
        var redactions: UInt64
        var hasEnded = false
    }

    private let content: Mutex<CommittedState<State>>
    private let progress: Monitor<Progress>
    private let waitingCount = Atomic<Int>(0)
    private let waker: SerialThread

    /// Whether groups of subscribers must be notified although no task waits here.
    let hasAudience = Atomic<Bool>(false)

    init(_ present: CommittedState<State>, waker: SerialThread) {
        content = Mutex(present)
        progress = Monitor(Progress(sequence: present.sequence, redactions: present.redactions))
        self.waker = waker
    }

    var present: CommittedState<State> { content.withLock { $0 } }

    var hasEnded: Bool { progress.value.hasEnded }

    /// The number of waiting tasks.
    var waiting: Int { waitingCount.load(ordering: .relaxed) }

    func publish(_ present: consuming CommittedState<State>) {
        var other = present
        content.withLock { swap(&$0, &other) }
        // Checked after the swap: a later waiter reads the new state after it has registered itself.
        if waitingCount.load(ordering: .sequentiallyConsistent) > 0 || hasAudience.load(ordering: .sequentiallyConsistent) {
            wakeSoon()
        }
        // Outside the lock: freeing the last reference to a large state takes time.
        _ = consume other
    }

    func wakeSoon() { waker.signal() }

    /// Resumes the tasks that wait for a change; on the query thread.
    func wake() {
        let present = present
        progress.withLock { ($0.sequence, $0.redactions) = (present.sequence, present.redactions) }
    }

    /// Ends all waits, after the last change: nothing is published afterwards.
    func end() {
        wake()
        progress.withLock { $0.hasEnded = true }
        wakeSoon()
    }

    /// Waits for a record after `sequence`.
    /// - Parameter redactions: the known number of redactions; one more is a change, too. `nil`: ignore redactions.
    /// - Returns: the present state; `nil` if the task was cancelled or the store stops.
    func next(after sequence: UInt64, redactions: UInt64? = nil) async -> CommittedState<State>? {
        waitingCount.add(1, ordering: .sequentiallyConsistent)
        defer { waitingCount.subtract(1, ordering: .relaxed) }
        // A change before the registration notified no one.
        let now = present
        if now.sequence > sequence || now.redactions > redactions ?? .max { return now }
        let hasChanged = await progress.waitUnlessCancelled { progress -> Bool? in
            if progress.sequence > sequence || progress.redactions > redactions ?? .max { return true }
            return progress.hasEnded ? false : nil
        }
        return hasChanged == true ? present : nil
    }
}

extension Store {
    /// The current state, then the state after each change, for as long as the caller iterates.
    ///
    /// Changes are merged for a slow consumer, and equal states are left out. It ends when the store stops or the task is cancelled.
    public nonisolated func states() -> AsyncStream<CommittedState<App.State>> {
        let last = Monitor<CommittedState<App.State>?>(nil)
        return AsyncStream {
            let before = last.value
            var now = self.present
            while let before, App.changedScopes(from: before.state, to: now.state).isEmpty {
                guard let next = await self.publisher.next(after: now.sequence, redactions: now.redactions) else { return nil }
                now = next
            }
            last.withLock { [now] in $0 = now }
            return now
        }
    }
}

public import Chronicle
import ChronicleLog
import Synchronization

/// Publishes the state after each flush; reading it never enters the store.
///
/// The store's thread only swaps the value and signals; the query thread resumes the waiters, so their number does not slow writers.
final class StatePublisher<State: Sendable>: Sendable {
    private struct Waiter {
        var sequence: UInt64
        var redactions: UInt64?
        var continuation: CheckedContinuation<Outcome, Never>

        func isDue(_ present: CommittedState<State>, in scope: Int?) -> Bool {
            present.lastChange(of: scope) > sequence || redactions.map { $0 != present.redactions } ?? false
        }
    }

    private struct Waiters {
        var byNumber: [UInt64: Waiter] = [:]
        /// No waiter is due for a change up to this sequence.
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

    /// The waiting tasks, under a separate lock: a publish never waits while they are examined.
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

    /// Whether groups of subscribers must be notified although no task waits here.
    let hasAudience = Atomic<Bool>(false)

    init(_ present: CommittedState<State>, waker: SerialThread) {
        content = Mutex(present)
        waiters = Mutex(Waiting(redactions: present.redactions))
        self.waker = waker
    }

    var present: CommittedState<State> { content.withLock { $0 } }

    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    var waiting: Int { waiters.withLock { $0.scopes.values.reduce(0) { $0 + $1.byNumber.count } } }

    func publish(_ present: consuming CommittedState<State>) {
        var other = present
        content.withLock { swap(&$0, &other) }
        // Checked after the swap: a later waiter reads the new state after it has registered itself.
        if hasWaiters.load(ordering: .sequentiallyConsistent) || hasAudience.load(ordering: .sequentiallyConsistent) {
            wakeSoon()
        }
        // Outside the lock: freeing the last reference to a large state takes time.
        _ = consume other
    }

    func wakeSoon() { waker.signal() }

    func end() {
        ended.store(true, ordering: .releasing)
        wakeSoon()
    }

    /// Waits until something in the scope (or anything) has changed after `sequence`.
    /// - Parameter redactions: the known number of redactions; one more is a change, too. `nil`: ignore redactions.
    /// - Returns: the new state; `.cancelled` if the task was cancelled, `.ended` if the store stops.
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
                // A change before the registration notified no one, so check again.
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

    /// Resumes the tasks with changes; on the query thread.
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
                // The last change is delivered even if the store has ended.
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

extension Store {
    /// The current state, then the state after each change, for as long as the caller iterates.
    ///
    /// Changes are merged for a slow consumer, and equal states are left out. It ends when the store stops or the task is cancelled.
    /// - Parameter scope: an index in `Feature.scopes`; `nil`: every change, and every request for commands.
    public nonisolated func states(of scope: Int? = nil) -> States<App> { States(store: self, scope: scope) }

    /// The commands that the last records between two sequences requested, except unreadable ones.
    fileprivate nonisolated func commands(
        after sequence: UInt64, through last: UInt64, in scope: Int?
    ) async throws(StoreError) -> [App.Command] {
        guard sequence < last else { return [] }
        let pageStart = last - min(last, UInt64(Limits.pageRecordsMax)) + 1
        let records = try await records(from: max(sequence + 1, pageStart, log.first), through: last)
        return records.filter { $0.belongs(to: scope) }.flatMap(\.header.commands).compactMap { call in
            call.presentational ? nil : try? App.Command(canonical: call.arguments)
        }
    }
}

public struct StateChange<State: Sendable, Command: Sendable>: Sendable {
    public var state: State
    /// The previously delivered state; `nil` the first time.
    public var previous: State?
    /// The commands requested since, without presentational ones, from at most the last `Limits.pageRecordsMax` records.
    public var commands: [Command]
    public var sequence: UInt64
}

/// The states of a store; see `Store.states(of:)`.
public struct States<App: Feature>: AsyncSequence, Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    let store: Store<App>
    let scope: Int?

    /// Starts with the state at the time of the first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(states: self) }

    public struct Iterator: AsyncIteratorProtocol {
        let states: States
        private var last: CommittedState<App.State>?

        init(states: States) { self.states = states }

        /// The next state; `nil` when the store has stopped or the task is cancelled.
        /// - Throws: `.damaged`, `.undecodable`, `.pruned` or `.unreadable` if the new records can't be read.
        public mutating func next() async throws(StoreError) -> StateChange<App.State, App.Command>? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(StoreError) -> StateChange<App.State, App.Command>? {
            guard let before = last else {
                let now = states.store.present
                return deliver(now, after: nil, [])
            }
            var seen = before
            while true {
                let outcome = await states.store.publisher.next(
                    after: seen.sequence, in: states.scope, redactions: seen.redactions)
                guard case .present(let now) = outcome else { return nil }
                seen = now
                let changed = App.changedScopes(from: before.state, to: now.state)
                guard states.scope.map({ changed.contains(ScopeSet(index: $0)) }) ?? true else { continue }
                let commands = try await states.store.commands(after: before.sequence, through: now.sequence, in: states.scope)
                guard !changed.isEmpty || !commands.isEmpty else { continue }
                return deliver(now, after: before, commands)
            }
        }

        private mutating func deliver(
            _ now: CommittedState<App.State>, after before: CommittedState<App.State>?, _ commands: [App.Command]
        ) -> StateChange<App.State, App.Command> {
            last = now
            return StateChange(state: now.state, previous: before?.state, commands: commands, sequence: now.sequence)
        }
    }
}

public import Chronicle
import ChronicleLog

extension Store {
    /// The current state, then the state after each change, for as long as the caller iterates.
    ///
    /// A slow consumer gets changes merged. Equal states are not delivered. The sequence ends when the store stops or the task is
    /// cancelled.
    /// - Parameter scope: only deliver changes of this scope, an index in `Feature.scopes`; `nil`: every change, and every request for
    ///   commands.
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

/// A state delivered to a consumer.
public struct StateChange<State: Sendable, Command: Sendable>: Sendable {
    public var state: State
    /// The previously delivered state; `nil` the first time.
    public var previous: State?
    /// The commands requested since, from at most the last `Limits.pageRecordsMax` records; presentational commands are executed by the
    /// client that dispatched them.
    public var commands: [Command]
    /// The sequence of the state.
    public var sequence: UInt64
}

/// The states of a store; see `Store.states(of:)`.
public struct States<App: Feature>: AsyncSequence, Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    let store: Store<App>
    let scope: Int?

    /// Starts with the state at the time of the first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(states: self) }

    /// Iterates over the states.
    public struct Iterator: AsyncIteratorProtocol {
        let states: States
        private var last: CommittedState<App.State>?

        init(states: States) { self.states = states }

        /// The next state; `nil` when the store has stopped or the task is cancelled.
        /// - Throws: `.damaged`, `.undecodable`, `.pruned` or `.unreadable` if the new records can't be read.
        public mutating func next() async throws(StoreError) -> StateChange<App.State, App.Command>? {
            try await next(isolation: #isolation)
        }

        /// See `next()`.
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

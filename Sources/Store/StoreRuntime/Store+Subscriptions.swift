public import Records
public import Reducing
import Synchronization

extension Store {
    /// The subscriptions as they stand on disk, by name.
    public nonisolated var subscriptions: [SubscriptionRow] { standing.withLock { $0 }.all }

    /// The names of those whose rows on disk are damaged: whose they are, and what was acknowledged, nobody knows.
    public nonisolated var damagedSubscriptions: [String] { standing.withLock { $0 }.damagedNames }

    /// The subscription of a name as it stands on disk.
    public nonisolated func subscription(_ name: String) -> SubscriptionRow? { standing.withLock { $0[name] } }

    /// Does something about a subscription, and waits until it is on disk; those that come together share a flush.
    ///
    /// - Parameters:
    ///   - uid: who asks.
    ///   - administers: whether who asks may also do it about those of others.
    /// - Throws: `.unknownSubscription`, `.tooManySubscriptions`, `.tooManySubscriptionsOfOwner`, `.notYourSubscription`,
    ///   `.damagedSubscription` to all but those who may administer, who can make it anew with a position or take it away; `.epochChanged`,
    ///   `.futureSequence`; `.readOnly`, `.storageFull`, `.busy`, `.stopping`.
    @discardableResult
    public nonisolated func submit(
        _ order: SubscriptionOrder, by uid: UInt32, administers: Bool = false
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        try await perform(for: uid, cost: 1) { store throws(StoreError) in
            try store.stagedLog.accept(order, from: uid, owner: administers ? nil : uid)
        }
    }

    /// Waits until there is a record behind a sequence, but no longer than a time; `nil`: for ever.
    ///
    /// - Returns: the state then; `nil` when the time is over.
    /// - Throws: `.stopping` when the store stops or the task is cancelled.
    public nonisolated func present(
        after sequence: UInt64, within time: Duration?
    ) async throws(StoreError) -> CommittedState<App.State>? {
        guard let time else { return try await nextPresent(after: sequence, in: nil) }
        let outcome = await withTaskGroup(of: StatePublisher<App.State>.Outcome?.self) { group in
            group.addTask { await self.publisher.next(after: sequence, in: nil) }
            group.addTask {
                try? await Task.sleep(for: time)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        switch outcome {
        case .present(let present): return present
        case .cancelled, .ended: throw .stopping
        case nil: return nil
        }
    }
}

public import Chronicle
public import ChronicleLog
import Synchronization

extension Store {
    /// The subscriptions on disk, by name.
    public nonisolated var subscriptions: [SubscriptionRow] { standing.withLock { $0 }.all }

    /// The names of subscriptions whose rows on disk are damaged; owner and acknowledged position are unknown.
    public nonisolated var damagedSubscriptions: [String] { standing.withLock { $0 }.damagedNames }

    /// The subscription of a name on disk.
    public nonisolated func subscription(_ name: String) -> SubscriptionRow? { standing.withLock { $0[name] } }

    /// Executes a subscription order and waits until it is on disk; concurrent orders share a flush.
    /// - Parameters:
    ///   - uid: the sender.
    ///   - administers: whether the sender may change the subscriptions of others.
    /// - Throws: `.unknownSubscription`, `.tooManySubscriptions`, `.tooManySubscriptionsOfOwner`, `.notYourSubscription`,
    ///   `.damagedSubscription`, unless an administrator sets a position or removes it; `.epochChanged`, `.futureSequence`; `.readOnly`,
    ///   `.storageFull`, `.busy`, `.stopping`.
    @discardableResult
    public nonisolated func submit(
        _ order: SubscriptionOrder, by uid: UInt32, administers: Bool = false
    ) async throws(StoreError) -> Acknowledgement<App.Command> {
        try await perform(for: uid, cost: 1) { store throws(StoreError) in
            try store.stagedLog.accept(order, from: uid, owner: administers ? nil : uid)
        }
    }

    /// Waits for a record after a sequence, at most for a duration; `nil`: without limit.
    /// - Returns: the new state; `nil` after a timeout.
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

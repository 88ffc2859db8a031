import Chronicle
import ChronicleLog

extension StagedLog {
    /// Stages the row of a subscription, without a record, because reading is no event.
    /// - Parameter uid: the required owner; `nil`: any.
    mutating func accept(
        _ order: SubscriptionOrder, from asker: UInt32, owner uid: UInt32?
    ) throws(StoreError) -> Acknowledgement<App.Command> {
        try checkWritable()
        try pending.checkRoom(in: log, freeBytesMin: options.freeBytesMin)
        let name = order.name
        let standing = subscriptions[name]
        let isDamaged = subscriptions.isDamaged(name)
        // The owner is unknown.
        if isDamaged, uid != nil { throw .damagedSubscription(name) }
        if let standing, let uid, standing.owner != uid { throw .notYourSubscription(name, uid: standing.owner) }
        switch order {
        case .set(_, let filter, let position):
            // The acknowledged position is unknown, too, so a new position is required.
            if isDamaged, position == nil { throw .damagedSubscription(name) }
            if standing == nil { try checkRoom(for: uid, isDamaged: isDamaged) }
            set(
                SubscriptionRow(
                    name: name, position: position ?? standing?.position ?? staged.sequence, owner: standing?.owner ?? asker,
                    filter: filter))
        case .remove:
            guard standing != nil || isDamaged else { throw .unknownSubscription(name) }
            subscriptions[name] = nil
            pending.flush.removeSubscription(name)
        case .acknowledge(_, let sequence, let epoch):
            guard var row = standing else { throw isDamaged ? .damagedSubscription(name) : .unknownSubscription(name) }
            if let epoch, epoch != staged.epoch { throw .epochChanged(current: staged.epoch) }
            guard sequence <= staged.sequence else { throw .futureSequence(head: staged.sequence) }
            guard sequence > row.position else { return nothing }
            row.position = sequence
            set(row)
        }
        return nothing
    }

    /// Moves the subscriptions of an empty log to its new beginning.
    mutating func leadSubscriptions(to base: Base) {
        for var row in subscriptions.all where row.position < base.sequence {
            row.position = base.sequence
            set(row)
        }
    }

    private func checkRoom(for uid: UInt32?, isDamaged: Bool) throws(StoreError) {
        guard isDamaged || subscriptions.count < Limits.subscriptionsMax else {
            throw .tooManySubscriptions(max: Limits.subscriptionsMax)
        }
        guard let uid, subscriptions.count(of: uid) >= Limits.subscriptionsOfOwnerMax else { return }
        throw .tooManySubscriptionsOfOwner(uid, max: Limits.subscriptionsOfOwnerMax)
    }

    private mutating func set(_ row: SubscriptionRow) {
        subscriptions[row.name] = row
        pending.flush.set(row)
    }
}

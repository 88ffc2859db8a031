import Chronicle
import ChronicleLog
import ChronicleStore

extension History {
    /// Checks that subscriptions acknowledge only existing records.
    func verifySubscriptions(_ verification: inout Verification) throws(StoreError) {
        do throws(ActionLogError) {
            let stored = try log.subscriptions()
            verification.subscriptions = stored.rows.count + stored.damaged.count
            for name in stored.damaged {
                verification.note(.subscription, 0, "the row of the subscription \(name) is not what was written")
            }
            for row in stored.rows {
                if let why = SubscriptionRow.objection(to: row.name, wanting: row.filter) {
                    verification.note(.subscription, 0, "the subscription \(row.name) can be none: \(why)")
                }
                if row.position > stored.last {
                    verification.note(
                        .subscription, row.position, "the subscription \(row.name) has acknowledged what is not in the log")
                }
            }
        } catch {
            try verification.note(error, else: .subscription)
        }
    }
}

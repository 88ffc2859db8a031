public import ChronicleLog
internal import LMDB

extension LMDBActionLog {
    /// All subscriptions, by name; of a damaged log those that can be found.
    public func subscriptions() throws(ActionLogError) -> StoredSubscriptions {
        var stored = StoredSubscriptions()
        do throws(ActionLogError) {
            try environment.read { (transaction) throws(ActionLogError) in
                // Of now: who looks beside a writer opened the log a while ago.
                stored.last = damage == nil ? try Self.head(transaction, tables).sequence : head.sequence
                try transaction.eachRow(of: tables.meta, from: RowKey.subscription) { (key, value) throws(ActionLogError) in
                    guard let name = RowKey.subscriptionName(key) else { return false }
                    try stored.add(name, key: key, value)
                    return true
                }
            }
        } catch {
            guard damage != nil else { throw error }
        }
        return stored
    }
}

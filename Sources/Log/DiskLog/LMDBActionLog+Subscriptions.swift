internal import LMDB
public import Records

extension LMDBActionLog {
    /// All subscriptions, by name; of a damaged log those that can be found.
    public func subscriptions() throws(ActionLogError) -> StoredSubscriptions {
        var stored = StoredSubscriptions()
        do throws(ActionLogError) {
            try environment.read { (transaction) throws(ActionLogError) in
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

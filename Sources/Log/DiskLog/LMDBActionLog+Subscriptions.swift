internal import LMDB
public import Records

extension LMDBActionLog {
    /// All subscriptions, by name; of a damaged log those that can be read.
    public func subscriptions() throws(ActionLogError) -> [SubscriptionRow] {
        var rows: [SubscriptionRow] = []
        do throws(ActionLogError) {
            try environment.read { (transaction) throws(ActionLogError) in
                try transaction.eachRow(of: tables.meta, from: RowKey.subscription) { (key, value) throws(ActionLogError) in
                    guard let name = RowKey.subscriptionName(key) else { return false }
                    rows.append(try SubscriptionRow(named: name, key: key, value))
                    return true
                }
            }
        } catch {
            guard damage != nil else { throw error }
        }
        return rows
    }
}

public import Records
import StoreRuntime

extension SubscriptionRow {
    /// Why there can be no subscription of a name that wants such records; `nil` when there can.
    public static func objection(to name: String, wanting filter: RecordFilter) -> String? {
        if let objection = BookmarkName.objection(to: name, as: "a subscription's name") { return objection }
        let (countMax, bytesMax) = (Limits.subscriptionActionsMax, Limits.subscriptionActionBytesMax)
        guard filter.actions.count <= countMax else { return "a subscription lists at most \(countMax) names of actions" }
        guard filter.actions.allSatisfy({ (1...bytesMax).contains($0.utf8.count) }) else {
            return "the name of an action has 1 to \(bytesMax) bytes"
        }
        return nil
    }
}

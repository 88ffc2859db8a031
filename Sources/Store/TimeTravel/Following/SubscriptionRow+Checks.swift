public import ChronicleLog
import ChronicleStore
import ChronicleValues

extension SubscriptionRow {
    /// Why a subscription is invalid; `nil` if it is valid.
    public static func objection(to name: String, wanting filter: RecordFilter) -> String? {
        if let objection = BookmarkName.objection(to: name, as: "A subscription's name") { return objection }
        let (countMax, bytesMax) = (Limits.subscriptionActionsMax, Limits.subscriptionActionBytesMax)
        guard filter.actions.count <= countMax else { return "A subscription lists at most \(countMax) names of actions." }
        guard filter.actions.allSatisfy({ (1...bytesMax).contains($0.utf8.count) }) else {
            return "The name of an action has 1 to \(bytesMax) bytes."
        }
        guard (filter.condition?.utf8.count ?? 0) <= RecordFilter.conditionBytesMax else {
            return "The condition of a subscription has at most \(RecordFilter.conditionBytesMax) bytes."
        }
        return nil
    }
}

extension RecordFilter {
    /// The action names of the filter that don't exist, or all of them if none of its feature's names exists.
    /// - Parameter names: the names of all actions with their features: `todos.add`.
    public func unknownActions(among names: [String]) -> [String] {
        if actions.isEmpty { return [] }
        if let feature, actions.allSatisfy({ $0.isAction(notOf: feature) }) { return actions }
        var known: Set<ExactText> = []
        for name in names {
            known.insert(ExactText(name))
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            if let feature, parts.first?.hasSameBytes(as: feature) != true { continue }
            known.formUnion(parts.dropFirst().map(ExactText.init))
        }
        return actions.filter { !known.contains(ExactText($0)) }
    }
}

extension String {
    /// Whether it is a full action name of another feature.
    fileprivate func isAction(notOf feature: String) -> Bool {
        let parts = split(separator: ".", maxSplits: 1)
        return parts.count == 2 && !String(parts[0]).hasSameBytes(as: feature)
    }
}

import ChronicleLog
import ChronicleValues

extension LogQuery {
    /// The action names of the query that don't exist, or all of them if none of its feature's names exists.
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

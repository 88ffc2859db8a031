public import Reducing

extension Feature {
    /// The scopes in which a record with an action wipes what was there.
    ///
    /// - Parameter restores: whether the record puts something back as it was at a moment.
    public static func wiped(by action: Action, restores: Bool) -> ScopeSet {
        restores ? wipes(action).union(wipeable.intersection(scopes(of: action))) : wipes(action)
    }
}

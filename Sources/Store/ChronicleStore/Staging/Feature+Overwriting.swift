public import Chronicle

extension Feature {
    /// The scopes that a record overwrites.
    /// - Parameter restores: whether the record restores a moment, which overwrites later changes whatever the action is.
    public static func overwrittenScopes(by action: Action, restores: Bool) -> ScopeSet {
        let own = overwrittenScopes(by: action)
        return restores ? own.union(overwritableScopes.intersection(scopes(of: action))) : own
    }
}

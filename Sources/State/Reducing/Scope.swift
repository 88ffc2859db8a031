/// How a child feature stands in a parent: its slice of the state, its case among the actions.
///
/// Scopes nest: `app.appending(inner)` reaches a feature two levels down.
public struct Scope<Root: Feature, Child: Feature>: Sendable {
    /// The child's slice of the state.
    public var state: @Sendable (Root.State) -> Child.State
    /// Lends the slice for a change in place, without a copy.
    public var modify: @Sendable (inout Root.State, (inout Child.State) -> Void) -> Void
    /// The child's action as the root's.
    public var embed: @Sendable (Child.Action) -> Root.Action
    /// The root's action as the child's, or `nil` if it is another feature's.
    public var extract: @Sendable (Root.Action) -> Child.Action?

    public init(
        state: @escaping @Sendable (Root.State) -> Child.State,
        modify: @escaping @Sendable (inout Root.State, (inout Child.State) -> Void) -> Void,
        embed: @escaping @Sendable (Child.Action) -> Root.Action,
        extract: @escaping @Sendable (Root.Action) -> Child.Action?
    ) {
        self.state = state
        self.modify = modify
        self.embed = embed
        self.extract = extract
    }

    public func appending<Grandchild>(_ inner: Scope<Child, Grandchild>) -> Scope<Root, Grandchild> {
        Scope<Root, Grandchild>(
            state: { inner.state(state($0)) },
            modify: { root, change in modify(&root) { child in inner.modify(&child, change) } },
            embed: { embed(inner.embed($0)) },
            extract: { extract($0).flatMap(inner.extract) }
        )
    }
}

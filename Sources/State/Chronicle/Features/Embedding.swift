/// The place of a child feature in a parent: its part of the state, its case among the actions.
public struct Scope<Root: Feature, Child: Feature>: Sendable {
    /// The child's part of the state.
    public var state: @Sendable (Root.State) -> Child.State
    /// Changes that part in place, without a copy.
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
    ) { (self.state, self.modify, self.embed, self.extract) = (state, modify, embed, extract) }

    /// The place of a child of the child.
    public func appending<Grandchild>(_ inner: Scope<Child, Grandchild>) -> Scope<Root, Grandchild> {
        Scope<Root, Grandchild>(
            state: { inner.state(state($0)) },
            modify: { root, change in modify(&root) { child in inner.modify(&child, change) } },
            embed: { embed(inner.embed($0)) },
            extract: { extract($0).flatMap(inner.extract) }
        )
    }
}

/// A child feature in a root: its place, and the offset of its scopes in the root's list.
public struct Embedding<Root: Feature, Child: Feature>: Sendable {
    public let scope: Scope<Root, Child>
    /// The index of the child's own scope in the root's list; those of its fields follow.
    public let offset: Int

    /// Embeds the child with a name in the root's state.
    public init(_ name: String, _ scope: Scope<Root, Child>) {
        guard let offset = Root.scopes.firstIndex(where: { $0.hasSameBytes(as: name) }) else {
            preconditionFailure("there is no scope \(name)")
        }
        (self.scope, self.offset) = (scope, offset)
    }

    /// The child's scopes as the root's; a set that is not empty also contains the scope of the child itself.
    public func lifted(_ scopes: ScopeSet) -> ScopeSet {
        scopes.isEmpty ? [] : scopes.shifted(by: offset + 1).union(ScopeSet(index: offset))
    }
}

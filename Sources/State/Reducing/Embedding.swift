/// A child feature at its place in a root: its scope, and where its scopes stand in the root's list.
///
/// Does for the actions of one child what a root does for all; answers of `nil` mean that an action is another feature's. What follows from
/// the child's state follows from its place among the fields of the root's.
public struct Embedding<Root: Feature, Child: Feature>: Sendable {
    /// The child's slice and case.
    public let scope: Scope<Root, Child>
    /// The index of the child's own scope in the root's list; those of its fields follow.
    public let offset: Int

    /// Embeds the child that has this name in the root's state.
    public init(_ name: String, _ scope: Scope<Root, Child>) {
        guard let offset = Root.scopes.firstIndex(where: { $0.hasSameBytes(as: name) }) else {
            preconditionFailure("there is no scope \(name)")
        }
        self.scope = scope
        self.offset = offset
    }

    /// The child's scopes as the root's; with any of them the child's own.
    public func lifted(_ scopes: ScopeSet) -> ScopeSet {
        scopes.isEmpty ? [] : scopes.shifted(by: offset + 1).union(ScopeSet(index: offset))
    }

    public func prepare(_ action: Root.Action, _ state: Root.State, _ context: Context) throws(Refusal) -> [Root.Action]? {
        guard let action = scope.extract(action) else { return nil }
        return try Child.prepare(action, scope.state(state), context).map(scope.embed)
    }

    public func reduce(_ state: inout Root.State, _ action: Root.Action, _ context: Context) -> [Child.Command]? {
        guard let action = scope.extract(action) else { return nil }
        var commands: [Child.Command] = []
        scope.modify(&state) { commands = Child.reduce(&$0, action, context) }
        return commands
    }

    public func created(by action: Root.Action) -> [UInt64]? { scope.extract(action).map(Child.created) }

    /// See `Feature.scopes(of:)`.
    public func scopes(of action: Root.Action) -> ScopeSet {
        scope.extract(action).map { lifted(Child.scopes(of: $0)).union(ScopeSet(index: offset)) } ?? []
    }

    /// See `Feature.indexedScope`; only the field that is meant, not the whole child.
    public func indexedScope(of action: Root.Action) -> ScopeSet {
        scope.extract(action).map { Child.indexedScope(of: $0).shifted(by: offset + 1) } ?? []
    }
}

/// A child feature at its place in a root: name, scope, and where its scopes stand in the root's list.
///
/// Does for one child what a root does for all: a root's methods ask each of its embeddings and join the answers.
/// Answers of `nil` mean that an action is another feature's.
public struct Embedding<Root: Feature, Child: Feature>: Sendable {
    /// The child's name in the root's state and actions.
    public var name: String
    /// The child's slice and case.
    public var scope: Scope<Root, Child>
    /// The index of the child's own scope in the root's list; those of its fields follow.
    public var offset: Int

    /// Makes an embedding.
    public init(_ name: String, _ scope: Scope<Root, Child>, offset: Int) {
        self.name = name
        self.scope = scope
        self.offset = offset
    }

    /// The child's own scope, then those of its fields, seen from the root.
    public var scopeNames: [String] { [name] + Child.scopes.map { name + "." + $0 } }

    /// The child's scopes as the root's; with any of them the child's own.
    public func lifted(_ scopes: ScopeSet) -> ScopeSet {
        scopes.isEmpty ? [] : scopes.shifted(by: offset + 1).union(ScopeSet(index: offset))
    }

    /// See `Feature.prepare`.
    public func prepare(_ action: Root.Action, _ state: Root.State, _ context: Context) throws(Refusal) -> [Root.Action]? {
        guard let action = scope.extract(action) else { return nil }
        return try Child.prepare(action, scope.state(state), context).map(scope.embed)
    }

    /// See `Feature.reduce`.
    public func reduce(_ state: inout Root.State, _ action: Root.Action, _ context: Context) -> [Child.Command]? {
        guard let action = scope.extract(action) else { return nil }
        var commands: [Child.Command] = []
        scope.modify(&state) { commands = Child.reduce(&$0, action, context) }
        return commands
    }

    /// See `Feature.created`.
    public func created(by action: Root.Action) -> [UInt64]? { scope.extract(action).map(Child.created) }

    /// See `Feature.reserveIDs`.
    public func reserveIDs(of other: Root.State, in state: inout Root.State) {
        scope.modify(&state) { Child.reserveIDs(of: scope.state(other), in: &$0) }
    }

    /// See `Feature.changedScopes`.
    public func changedScopes(from old: Root.State, to new: Root.State) -> ScopeSet {
        lifted(Child.changedScopes(from: scope.state(old), to: scope.state(new)))
    }

    /// See `Feature.scopes(of:)`.
    public func scopes(of action: Root.Action) -> ScopeSet {
        scope.extract(action).map { lifted(Child.scopes(of: $0)).union(ScopeSet(index: offset)) } ?? []
    }

    /// See `Feature.indexedScope`; only the field that is meant, not the whole child.
    public func indexedScope(of action: Root.Action) -> ScopeSet {
        scope.extract(action).map { Child.indexedScope(of: $0).shifted(by: offset + 1) } ?? []
    }

    /// See `Feature.changes`.
    public func changes(from old: Root.State, to new: Root.State, limit: Int) -> [Change]? {
        Child.changes(from: scope.state(old), to: scope.state(new), limit: limit)?.map { $0.under(name) }
    }

    /// See `Feature.changes`; none where the names lead to another child.
    public func changes(from old: Root.State, to new: Root.State, limit: Int, within names: [String]) -> [Change]? {
        guard let first = names.first else { return changes(from: old, to: new, limit: limit) }
        guard first.hasSameBytes(as: name) else { return [] }
        let (old, new) = (scope.state(old), scope.state(new))
        return Child.changes(from: old, to: new, limit: limit, within: Array(names.dropFirst()))?.map { $0.under(name) }
    }

    /// See `Feature.shape`.
    public var shape: Shape.Field { Shape.Field(name, Child.shape) }

    /// See `Feature.outline`.
    public func outline(of state: Root.State) -> Value.Field { Value.Field(name, Child.outline(of: scope.state(state))) }

    /// See `Feature.lists`.
    public func lists(of state: Root.State) -> [ListView] { Child.lists(of: scope.state(state)).map { $0.under(name) } }

    /// See `Feature.view`.
    public func view(of state: Root.State) -> Value.Field { Value.Field(name, Child.view(of: scope.state(state))) }

    /// See `Feature.restored`; changes the child's slice of a present state, and gives what stood in the way.
    public func restore(_ present: inout Root.State, from after: Root.State, to before: Root.State) -> [Conflict] {
        let child = scope.state(present)
        let restored = Child.restored(child, from: scope.state(after), to: scope.state(before))
        if restored.state != child { scope.modify(&present) { $0 = restored.state } }
        return restored.conflicts.map { $0.under(name) }
    }

    /// See `Feature.compensation`.
    public func compensation(from present: Root.State, to wanted: Root.State) throws(Refusal) -> [Root.Action] {
        try Child.compensation(from: scope.state(present), to: scope.state(wanted)).map(scope.embed)
    }
}

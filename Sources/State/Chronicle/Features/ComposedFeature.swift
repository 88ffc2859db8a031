/// A feature that is composed of children by a schema.
///
/// Every requirement follows from the children. A feature with rules across them declares `prepare`, `reduce` or `ended` itself and calls
/// the functions below for the rest.
public protocol ComposedFeature: Feature {
    static func prepareChild(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action]
    static func reduceChild(_ state: inout State, _ action: Action, _ context: Context) -> [Command]
    static func endedChild(_ command: Command, _ end: CommandEnd) -> Action?
}

extension ComposedFeature {
    @inlinable public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        try prepareChild(action, state, context)
    }

    @inlinable public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        reduceChild(&state, action, context)
    }

    public static func endedChild(_ command: Command, _ end: CommandEnd) -> Action? { nil }
    @inlinable public static func ended(_ command: Command, _ end: CommandEnd) -> Action? { endedChild(command, end) }
}

extension CaseCoding {
    /// The case with the lowest number, with initial fields.
    public static var first: Self? { defaultInstances.first { _ in true } }
}

/// The place of a child feature in a parent: its part of the state, its case among the actions.
public struct Scope<Root: Feature, Child: Feature>: Sendable {
    public var state: @Sendable (Root.State) -> Child.State
    /// Changes that part in place, without a copy.
    public var modify: @Sendable (inout Root.State, (inout Child.State) -> Void) -> Void
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

/// A feature whose state is one table of rows, and that undoes their changes with an event that holds a patch.
///
/// The generator adds the requirements for an action of the form `event restore(whole _ patch: TablePatch<Row>)`. `reduce` applies it:
/// `state.restore(patch)`.
public protocol RestoresRows: Feature {
    associatedtype Row: TableRow

    static func rows(of state: State) -> OrderedTable<Row>
    static func restoring(_ patch: TablePatch<Row>) -> Action
}

extension RestoresRows {
    public static func compensatingActions(from present: State, to wanted: State) throws(Refusal) -> [Action] {
        let patch = TablePatch(from: rows(of: present), to: rows(of: wanted))
        return patch.isEmpty ? [] : [restoring(patch)]
    }
}

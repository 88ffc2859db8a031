import ChronicleValues

/// The description of a feature, which its schema generates from the declarations of fields and actions.
///
/// Handwritten features, such as those of tests, declare the types and rely on the defaults.
public protocol DescribedFeature: Sendable {
    /// The result of folding the log; a value without reference types.
    associatedtype State: FieldCoding
    /// Plain data that is dispatched and, once prepared, logged.
    associatedtype Action: CaseCoding
    /// Work for the outside world, as data; `Never` for a feature without any.
    associatedtype Command: NamedCommand = Never

    /// The kind that the schema declares. An action of a handwritten type is a command by default.
    static func kind(of action: Action) -> ActionKind

    /// The ids that a logged action assigned, in order.
    static func created(by action: Action) -> [UInt64]

    /// The names of the parts that can be read and watched by themselves, at most 64; their index is their bit in a `ScopeSet`.
    ///
    /// They are the names of the fields; each child's name is followed by the names of its fields. Built on each call; a root stores them.
    static var scopes: [String] { get }

    /// The scopes that differ between two states, in constant time: unchanged parts are shared and compared by identity.
    static func changedScopes(from old: State, to new: State) -> ScopeSet

    /// The scopes that an action belongs to, whether it changed them or not; all by default.
    static func scopes(of action: Action) -> ScopeSet

    /// The scope to whose order an index in an action as dispatched refers; empty if it contains no index.
    ///
    /// Such an action is refused unless the dispatch names the sequence at which its sender saw that scope.
    static func indexedScope(of action: Action) -> ScopeSet

    /// The scopes that a logged action overwrites without leaving a trace of their earlier content in the state.
    ///
    /// If undo reverts a difference, it would revert an overwritten change a second time. Undo reports such a change as a conflict.
    static func overwrittenScopes(by action: Action) -> ScopeSet

    /// The scopes that any action can overwrite: restoring them to a moment overwrites later changes, whatever the action is.
    static var overwritableScopes: ScopeSet { get }

    /// The shape of every state by name, in the order of `summary` and the elements of `lists`.
    static var shape: Shape { get }

    /// Growth of a state in estimated bytes since an older one, or since an empty one.
    static func growth(from old: State?, to new: State) -> Int

    /// The changes between two states, in an order in which they can be applied; `nil` if there are more than `limit`.
    static func changes(from old: State, to new: State, limit: Int) -> [Change]?

    /// The same, limited to the path that some names form. The result may contain other changes, too.
    static func changes(from old: State, to new: State, limit: Int, within names: [String]) -> [Change]?
}

extension DescribedFeature {
    public static func kind(of action: Action) -> ActionKind { .command }
    public static func created(by action: Action) -> [UInt64] { [] }
    public static var scopes: [String] { State.scopeNames }
    public static func changedScopes(from old: State, to new: State) -> ScopeSet { new.differences(from: old) }
    public static func scopes(of action: Action) -> ScopeSet { ScopeSet(rawValue: 1 << UInt64(scopes.count) &- 1) }
    public static func indexedScope(of action: Action) -> ScopeSet { [] }
    public static func overwrittenScopes(by action: Action) -> ScopeSet { [] }
    public static var overwritableScopes: ScopeSet { [] }
    public static var shape: Shape { State.shape }
    @inlinable public static func growth(from old: State?, to new: State) -> Int { new.growth(since: old) }
    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? { new.changes(from: old, limit: limit) }

    /// All changes.
    public static func changes(from old: State, to new: State, limit: Int, within names: [String]) -> [Change]? {
        changes(from: old, to: new, limit: limit)
    }
}

extension DescribedFeature {
    /// The names of the child features; empty for a feature without children.
    public static var children: [String] { Schema(of: State()).fields.compactMap { $0.child == nil ? nil : $0.name } }

    /// The name of the first child that is a feature of this name.
    public static func child(of feature: String) -> String? {
        Schema(of: State()).fields.first { $0.child.map { "\($0)" } == feature }?.name
    }

    /// The shapes of the actions that clients dispatch, which are all but events.
    public static var actionShape: Shape { Action.shape { kind(of: $0) != .event } }

    /// The names of all actions, also of events; those of children with the names of the children: `todos.add`.
    public static var actionNames: [String] { Action.names }

    /// The state by name, its lists empty.
    public static func summary(of state: State) -> Value { state.values(.summary).value }

    /// The lists that `summary` left empty.
    public static func lists(of state: State) -> [ListView] { state.shown(to: FieldLists()).lists }

    /// Marks every id that another state has assigned as assigned, so that a what-if never reuses an id of later records.
    public static func reserveIDs(of other: State, in state: inout State) {
        var ids = FieldIDs(other)
        state.visit(&ids)
    }

    /// The places in which two states differ, for the path index: rows one by one, each other field as a whole; `nil` if unknown.
    @inlinable public static func difference(from old: State, to new: State) -> StateDifference? {
        new.shown(to: FieldDifference(old)).found
    }

    /// Follows the place at a path from state to state, reading only some fields of the elements; `nil` if there is no such place, or only
    /// the whole state tells.
    public static func follower(of names: [String], reading fields: [String]?) -> PlaceFollower<State>? {
        State().shown(to: FollowerFinder<State>(names, reading: fields)).found
    }
}

private struct FieldLists: FieldVisitor {
    static var changesFields: Bool { false }
    private(set) var lists: [ListView] = []

    mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        lists.append(ListView(table, at: field.name))
    }

    mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        lists += Child.lists(of: state).map { $0.under(field.name) }
    }
}

private struct FieldIDs<State: FieldCoding>: FieldVisitor {
    let other: State

    init(_ other: State) { self.other = other }

    mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) { next = max(next, other.field(field, like: next)) }

    mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        Child.reserveIDs(of: other.field(field, like: state), in: &state)
    }
}

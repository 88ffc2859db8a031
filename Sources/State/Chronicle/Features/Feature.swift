import ChronicleValues

/// One area of an app: its state, its actions, and their rules.
///
/// A schema (`Name.feature`) generates an enum that conforms, with the state, the actions and the commands. An extension of the enum adds
/// the rules: `reduce`, and the others where their defaults are not enough. A feature is pure. `prepare` decides and may refuse. `reduce`
/// never fails, never allocates an id and never reads a clock, because it runs again, years later, over the same log.
public protocol Feature: DescribedFeature {
    /// Turns an action as dispatched into the actions to log, or refuses it.
    ///
    /// Trims, checks rules, resolves an index to an id, assigns ids. May return an empty list. Never called on replay. The default accepts
    /// every action as it is.
    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action]

    /// Applies a logged action; total, whatever the action and the state are.
    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command]

    /// The event for a command that ended, or was parked, without a result; `nil`, the default, if the state need not know.
    ///
    /// It passes through `prepare` like every event. An undo cancels the open commands of its steps. Never called on replay: the log
    /// contains the event.
    static func ended(_ command: Command, _ end: CommandEnd) -> Action?

    /// Input for the target of a command from the state at the beginning of an attempt; null, the default, if the arguments suffice.
    ///
    /// Commands contain no text that a person wrote, because only actions can be redacted.
    static func input(for command: Command, in state: State) -> Value

    /// Number of elements of the state that `prepare` examines for an action; their sum is limited for each dispatch. One by default.
    static func cost(of action: Action, in state: State) -> Int

    /// The ids of existing elements that an action would create. Called if `prepare` returned no action. None by default.
    static func existing(for action: Action, in state: State) -> [UInt64]

    /// The view, derived from the state and never stored in it, in parts for cheap comparison.
    ///
    /// The default has the fields by name, and the views of the children.
    static func viewParts(of state: State) -> ViewParts

    /// Reverts in a present state the change from `before` to `after`; all other changes stay (a three-way merge).
    ///
    /// A value that was changed again since is a conflict. Ids in use stay in use. The default reverts each field as the schema says.
    static func reverted(_ present: State, from after: State, to before: State) -> RevertResult<State>

    /// A present state with one place as it is in a past state; `nil` if there is no such place, or it can't be restored by itself.
    ///
    /// An empty place is the whole state. `reverted` and `compensatingActions` then find the actions.
    static func restored(_ place: [PlaceStep], in present: State, from past: State) -> State?

    /// The logged actions that lead from one state to another, as far as actions can: a state that waits for a command gets a new command.
    ///
    /// Called only if `changedScopes` finds a difference. Refuses states that are not allowed. By default undo changes nothing.
    static func compensatingActions(from present: State, to wanted: State) throws(Refusal) -> [Action]

    /// A state of a fork in the form in which another log merges it: elements of the fork get ids that the other log gives to no other
    /// element.
    ///
    /// Elements that no merge brought are left out. A field that a fork does not merge is as it was in `origin`, where the fork began. The
    /// default renumbers the rows of each list that has a next id.
    static func renumbered(_ state: State, since origin: State, along stretches: [ForkStretch<State>]) -> State
}

extension Feature {
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] { [action] }
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? { nil }
    public static func input(for command: Command, in state: State) -> Value { .null }
    public static func cost(of action: Action, in state: State) -> Int { 1 }
    public static func existing(for action: Action, in state: State) -> [UInt64] { [] }
    public static func viewParts(of state: State) -> ViewParts { state.shown(to: FieldViews()).parts }

    public static func reverted(_ present: State, from after: State, to before: State) -> RevertResult<State> {
        present.reverted(from: after, to: before)
    }

    public static func restored(_ place: [PlaceStep], in present: State, from past: State) -> State? {
        present.restored(place, from: past)
    }

    public static func compensatingActions(from present: State, to wanted: State) throws(Refusal) -> [Action] { [] }

    public static func renumbered(_ state: State, since origin: State, along stretches: [ForkStretch<State>]) -> State {
        state.renumbered(since: origin, along: stretches)
    }

    public static func view(of state: State) -> Value { viewParts(of: state).value }

    /// The view of one child, or of a feature without children one field of its view; `nil` if no child or field has the name.
    public static func viewParts(of state: State, child name: String) -> ViewParts? {
        let view = state.shown(to: FieldViews(child: name))
        return (view.hasChildren ? view.parts : viewParts(of: state)).part(name)
    }
}

private struct FieldViews: FieldVisitor {
    static var changesFields: Bool { false }
    var child: String?
    private(set) var parts = ViewParts([:])
    private(set) var hasChildren = false

    init(child: String? = nil) { self.child = child }

    mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        if let shown = field.shown(part) { parts.append(shown.name, shown.value) }
    }

    mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        parts.append(ViewList(table, at: field.name) { $0.value })
    }

    mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        hasChildren = true
        if child.map({ $0.hasSameBytes(as: field.name) }) ?? true { parts.append(field.name, Child.viewParts(of: state)) }
    }
}

public enum ActionKind: Sendable, Equatable {
    /// A change that a client wants.
    case command
    /// A read: data of a source, or a page. Undo of the last step skips it.
    case query
    /// One of many small edits of a draft. Edits are shown in groups and not undone one by one.
    case edit
    /// Logged by the daemon, such as the result of a command; no client may dispatch it.
    case event
}

/// The input of a reducer besides its state and the action: the header of the record.
public struct Context: Sendable, Equatable {
    /// Microseconds since 1970, strictly increasing from record to record.
    public var time: Int64
    /// The time of the machine's clock, for `prepare`; differs from `time` if the log corrects the clock or is ahead of it.
    public var wallTime: Int64
    /// The uid of the peer who dispatched.
    public var origin: UInt32

    /// Makes a context; without a wall time the clock showed `time`.
    public init(time: Int64, wallTime: Int64? = nil, origin: UInt32) {
        self.time = time
        self.wallTime = wallTime ?? time
        self.origin = origin
    }

    /// A context for tests: noon of 20 November 2026 UTC, uid 1000.
    public static let test = Context(time: 1_795_176_000_000_000, origin: 1000)
}

/// The reason why an action is refused; no action of its batch is logged.
///
/// A schema declares the refusals of its feature. The rules throw them with the generated `refusal(.name, "sentence")`.
public struct Refusal: Error, Sendable, Equatable {
    /// The feature that declares it; empty for an app that is composed of features.
    public var feature: String
    /// The declared name, in UpperCamelCase.
    public var name: String
    /// A sentence for a person that contains the remedy.
    public var message: String

    public init(_ name: String, of feature: String = "", _ message: String) {
        (self.feature, self.name, self.message) = (feature, name, message)
    }
}

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

    public static func changes(from old: State, to new: State, limit: Int, within names: [String]) -> [Change]? {
        changes(from: old, to: new, limit: limit)
    }

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
    public static func summary(of state: State) -> Value { state.values(isSummary: true).value }

    /// The lists that `summary` left empty.
    public static func lists(of state: State) -> [ListView] { state.shown(to: FieldLists()).lists }

    /// Marks every id that another state has assigned as assigned, so that a what-if never reuses an id of later records.
    public static func reserveIDs(of other: State, in state: inout State) {
        var ids = FieldIDs(other)
        state.visit(&ids)
    }

    /// The places in which two states differ, for the path index: rows one by one, each other field as a whole; `nil` if unknown.
    @inlinable public static func difference(from old: State, to new: State) -> StateDifference? {
        new.shown(to: FieldDifference(old, listsRows: true)).found
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

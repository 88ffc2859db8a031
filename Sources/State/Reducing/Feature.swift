/// One area of an app: its state, what can happen to it, and how.
///
/// A feature is pure. `prepare` decides and may refuse; `reduce` never fails, never allocates an id and never reads
/// a clock, because it runs again, years later, over the same log. Features compose: a root feature embeds others.
public protocol Feature: Sendable {
    /// What folding the log gives; a value without reference types.
    associatedtype State: Sendable, Equatable
    /// What is dispatched and, once prepared, logged; plain data.
    associatedtype Action: Sendable, Equatable
    /// Work for the outside world, as data; `Never` for a feature without any.
    associatedtype Command: NamedCommand = Never

    /// Turns an action as dispatched into the actions to log, or refuses it.
    ///
    /// Trims, checks rules, resolves an index to an id, hands out ids. May return none. Never called on replay.
    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action]

    /// Applies a logged action; total, whatever the action and the state are.
    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command]

    /// The fact for a command that ended, or was parked, without a result; `nil` if the state need not know.
    ///
    /// It passes through `prepare` like every fact. Never called on replay: the fact stands in the log.
    static func ended(_ command: Command, _ end: CommandEnd) -> Action?

    /// What a target is told of what a command names, from the state as it is when an attempt begins; null if its arguments are all.
    ///
    /// Commands hold no text that a person wrote, because only actions can be redacted.
    static func brief(for command: Command, in state: State) -> Value

    /// Refuses states, actions and commands that do not decode to what was encoded. Called once at start, before anything is logged.
    static func checkCodings() throws(CodingMistake)

    /// What sort of thing an action is.
    static func nature(of action: Action) -> ActionNature

    /// How many elements of the state `prepare` looks at for an action; those of a dispatch are bounded together.
    static func cost(of action: Action, in state: State) -> Int

    /// What a fact says that failed, as a sentence without a full stop; `nil` for every other action.
    static func failure(toldBy action: Action) -> String?

    /// The ids that a logged action handed out, in order.
    static func created(by action: Action) -> [UInt64]

    /// The ids of what an action would make and the state has already; asked where `prepare` returned none.
    static func existing(for action: Action, in state: State) -> [UInt64]

    /// Counts as handed out every id that another state has handed out.
    ///
    /// What is tried out beside the log gets ids from such a state, so that they mean nothing else in later records.
    static func reserveIDs(of other: State, in state: inout State)

    /// A state of a fork as another log can take it over: what the fork handed out has ids that the other log gives to nothing else.
    ///
    /// What did not come with any of the legs is left out, and what a fork keeps to itself is as it was in `origin`, where the fork began.
    static func carriedOver(_ state: State, since origin: State, along legs: [ForkLeg<State>]) -> State

    /// The names of the parts that can be read and watched by themselves, at most 64; their index is their bit in a `ScopeSet`.
    static var scopes: [String] { get }

    /// Which scopes differ between two states, in constant time: unchanged parts are shared, so identity tells.
    static func changedScopes(from old: State, to new: State) -> ScopeSet

    /// Growth of a state in estimated bytes since an older one, or since an empty one.
    static func growth(from old: State?, to new: State) -> Int

    /// The scopes that an action belongs to, whether it changed them or not.
    static func scopes(of action: Action) -> ScopeSet

    /// The scope whose order an index in an action as dispatched refers to; empty if it holds no index.
    ///
    /// Such an action is refused unless the dispatch says at which sequence its sender saw that scope.
    static func indexedScope(of action: Action) -> ScopeSet

    /// What changed, in an order in which it can be applied; `nil` when that is more than `limit` changes.
    static func changes(from old: State, to new: State, limit: Int) -> [Change]?

    /// The same, of what changed at some names and below them, and perhaps of more.
    static func changes(from old: State, to new: State, limit: Int, within names: [String]) -> [Change]?

    /// What differs, for who remembers it beside the log; `nil` where that can't be said.
    static func difference(from old: State, to new: State) -> StateDifference?

    /// How the place at some names is followed, in elements of a list with a look at some fields alone; `nil` where it is none, or only a
    /// look at the whole state tells.
    static func follower(of names: [String], reading fields: [String]?) -> PlaceFollower<State>?

    /// What every state looks like by name, in the order of `summary` and the elements of `lists`.
    static var shape: Shape { get }

    /// What every action looks like by name; of a feature with children, by their names.
    static var actionShape: Shape { get }

    /// The names of all actions that a record can hold, also of those that nobody dispatches; with those of its children before theirs:
    /// `todos.add`.
    static var actionNames: [String] { get }

    /// The names of the features that it is put together from; none of one that stands for itself.
    static var children: [String] { get }

    /// The state by name, its lists empty.
    static func summary(of state: State) -> Value

    /// The lists that `summary` left empty.
    static func lists(of state: State) -> [ListView]

    /// What a screen shows, derived from the state and never stored in it; in parts, so that what changes in it is found without all of it.
    static func viewParts(of state: State) -> ViewParts

    /// The same of the child of a name alone, or in a feature without children of that field of what it shows; `nil` if there is none.
    static func viewParts(of state: State, child name: String) -> ViewParts?

    /// Takes back, in a present state, what led from `before` to `after`; what came of anything else stays.
    ///
    /// What has changed since, by whatever else, is a conflict. Ids that were handed out stay so.
    static func takenBack(_ present: State, from after: State, to before: State) -> TakenBack<State>

    /// A present state in which one place is as it is in a past one; `nil` where there is no such place that can be put back by itself.
    ///
    /// No place is everything. What leads there is up to `takenBack` and `compensation`.
    static func restored(_ place: [PlaceStep], in present: State, from past: State) -> State?

    /// The scopes in which a logged action puts away what was there, so that nothing in the state tells any more what had led to it.
    ///
    /// Where a change is taken back by its difference, what was put away since would be taken back a second time: a conflict, for
    /// which this is asked.
    static func wipes(_ action: Action) -> ScopeSet

    /// The scopes in which something can be wiped: what puts them back to a moment wipes there what came later, whatever its action is.
    static var wipeable: ScopeSet { get }

    /// The logged actions whose fold leads from one state to another, as far as actions can: what is under way can be asked for, not had.
    ///
    /// Asked only where `changedScopes` tells two states apart.
    /// Refuses what no state may become.
    static func compensation(from present: State, to wanted: State) throws(Refusal) -> [Action]
}

extension Feature {
    /// The action as it is, for features that allow everything.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] { [action] }

    /// All, for features that do not say.
    public static func scopes(of action: Action) -> ScopeSet { ScopeSet(rawValue: 1 << UInt64(scopes.count) &- 1) }

    /// None, for features that have no commands or don't mind.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? { nil }

    /// Unknown for features whose state does not name its fields.
    public static func growth(from old: State?, to new: State) -> Int { 0 }

    /// Nothing, for features whose commands say all.
    public static func brief(for command: Command, in state: State) -> Value { .null }

    /// Checks nothing for features whose types encode themselves.
    public static func checkCodings() throws(CodingMistake) {}

    /// An order, for features without requests, typing and facts.
    public static func nature(of action: Action) -> ActionNature { .order }

    /// One, for features that look at no more than what an action names.
    public static func cost(of action: Action, in state: State) -> Int { 1 }

    /// Nothing, for features whose commands don't fail.
    public static func failure(toldBy action: Action) -> String? { nil }

    /// None, for features that hand out no ids.
    public static func created(by action: Action) -> [UInt64] { [] }

    /// None, for features that make a thing as often as they are asked.
    public static func existing(for action: Action, in state: State) -> [UInt64] { [] }

    /// Nothing, for features that hand out no ids.
    public static func reserveIDs(of other: State, in state: inout State) {}

    /// The state as it is, for features that hand out no ids.
    public static func carriedOver(_ state: State, since origin: State, along legs: [ForkLeg<State>]) -> State { state }

    /// None, for features that name things by id alone.
    public static func indexedScope(of action: Action) -> ScopeSet { [] }

    /// All changes, for features of which one part is as much work as the whole.
    public static func changes(from old: State, to new: State, limit: Int, within names: [String]) -> [Change]? {
        changes(from: old, to: new, limit: limit)
    }

    /// Unknown for features whose state does not name its fields.
    public static func difference(from old: State, to new: State) -> StateDifference? { nil }

    /// None, for features whose state does not name its fields.
    public static func follower(of names: [String], reading fields: [String]?) -> PlaceFollower<State>? { nil }

    /// Anything, for features that do not say.
    public static var shape: Shape { .any }

    /// Anything, for features that do not say.
    public static var actionShape: Shape { .any }

    /// None, for features that do not say.
    public static var actionNames: [String] { [] }

    public static var children: [String] { [] }

    /// What a screen shows, as one value.
    public static func view(of state: State) -> Value { viewParts(of: state).value }

    /// That field of what it shows, for features without children.
    public static func viewParts(of state: State, child name: String) -> ViewParts? { viewParts(of: state).part(name) }

    /// Everything or nothing, for features without parts that change by themselves.
    public static func takenBack(_ present: State, from after: State, to before: State) -> TakenBack<State> {
        if after == before || present == before { return TakenBack(present) }
        let isConflict = present != after
        return TakenBack(
            before, conflicts: isConflict ? [Conflict("", expected: summary(of: after), found: summary(of: present))] : [])
    }

    /// Everything, for features without parts that can be put back by themselves.
    public static func restored(_ place: [PlaceStep], in present: State, from past: State) -> State? {
        place.isEmpty ? past : nil
    }

    /// None, for features whose states tell themselves what has changed since.
    public static func wipes(_ action: Action) -> ScopeSet { [] }

    /// None, for features whose states tell themselves what has changed since.
    public static var wipeable: ScopeSet { [] }

    /// None, for features whose changes can't be taken back.
    public static func compensation(from present: State, to wanted: State) throws(Refusal) -> [Action] { [] }
}

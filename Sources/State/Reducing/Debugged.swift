/// Takes in what features that are debugged have to say; a type, because features are.
public protocol DebugPrinter: Sendable {
    /// Whether anything is to be printed; asked at each action.
    static var isOn: Bool { get }
    /// Takes in the action that was received, and below it what it changed.
    static func print(_ lines: [String])
}

/// A feature that does what another one does, and prints each action that its reducer receives, with what that changed.
///
/// It keeps nothing and decides nothing. While the printer is off it is the other feature, at the cost of asking.
///
/// ```swift
/// let store = TestStore(Counter.State(), of: Counter.debug(to: Console.self))
/// store.send(.increment) { $0.count = 1 }
/// // {"increment":{}}
/// // - count: 0
/// // + count: 1
/// ```
public enum Debugged<Base: Feature, Printer: DebugPrinter>: Feature where Base.Action: ValueConvertible {
    public typealias State = Base.State
    public typealias Action = Base.Action
    public typealias Command = Base.Command

    /// Does what the other feature does, and prints it.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        guard Printer.isOn else { return Base.reduce(&state, action, context) }
        let before = state
        let commands = Base.reduce(&state, action, context)
        let changes = Base.changes(from: before, to: state, limit: DebugLines.changesMax)
        Printer.print([action.value.description] + DebugLines.lines(of: changes))
        return commands
    }

    // Everything else is the other feature's.

    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        try Base.prepare(action, state, context)
    }

    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? { Base.ended(command, end) }
    public static func checkCodings() throws(CodingMistake) { try Base.checkCodings() }
    public static func nature(of action: Action) -> ActionNature { Base.nature(of: action) }
    public static func failure(toldBy action: Action) -> String? { Base.failure(toldBy: action) }
    public static func created(by action: Action) -> [UInt64] { Base.created(by: action) }
    public static func existing(for action: Action, in state: State) -> [UInt64] { Base.existing(for: action, in: state) }
    public static func reserveIDs(of other: State, in state: inout State) { Base.reserveIDs(of: other, in: &state) }

    public static func carriedOver(_ state: State, since origin: State, along legs: [ForkLeg<State>]) -> State {
        Base.carriedOver(state, since: origin, along: legs)
    }

    public static var scopes: [String] { Base.scopes }
    public static func changedScopes(from old: State, to new: State) -> ScopeSet { Base.changedScopes(from: old, to: new) }
    public static func scopes(of action: Action) -> ScopeSet { Base.scopes(of: action) }
    public static func indexedScope(of action: Action) -> ScopeSet { Base.indexedScope(of: action) }

    public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        Base.changes(from: old, to: new, limit: limit)
    }

    public static func changes(from old: State, to new: State, limit: Int, within names: [String]) -> [Change]? {
        Base.changes(from: old, to: new, limit: limit, within: names)
    }

    public static func difference(from old: State, to new: State) -> StateDifference? { Base.difference(from: old, to: new) }

    public static func follower(of names: [String], reading fields: [String]?) -> PlaceFollower<State>? {
        Base.follower(of: names, reading: fields)
    }

    public static var shape: Shape { Base.shape }
    public static var actionShape: Shape { Base.actionShape }
    public static var actionNames: [String] { Base.actionNames }
    public static var children: [String] { Base.children }
    public static func summary(of state: State) -> Value { Base.summary(of: state) }
    public static func lists(of state: State) -> [ListView] { Base.lists(of: state) }
    public static func viewParts(of state: State) -> ViewParts { Base.viewParts(of: state) }
    public static func viewParts(of state: State, child name: String) -> ViewParts? { Base.viewParts(of: state, child: name) }

    public static func takenBack(_ present: State, from after: State, to before: State) -> TakenBack<State> {
        Base.takenBack(present, from: after, to: before)
    }

    public static func compensation(from present: State, to wanted: State) throws(Refusal) -> [Action] {
        try Base.compensation(from: present, to: wanted)
    }
}

extension Feature where Action: ValueConvertible {
    /// This feature, printing what it receives and what that changes.
    public static func debug<Printer: DebugPrinter>(to printer: Printer.Type) -> Debugged<Self, Printer>.Type {
        Debugged<Self, Printer>.self
    }
}

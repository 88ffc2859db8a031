import Fields
import ActionCoding
import CounterFeature
import Reducing
import StoreRuntime

/// Two counters side by side.
enum Stairs: Feature {
    struct State: Sendable, Equatable {
        var up = Counter.State()
        var down = Counter.State()
    }

    enum Action: Sendable, Equatable {
        case up(Counter.Action)
        case down(Counter.Action)
    }

    typealias Command = Never

    static let up = Embedding<Stairs, Counter>(
        "up",
        Scope(
            state: { $0.up }, modify: { $1(&$0.up) }, embed: Action.up,
            extract: { if case .up(let action) = $0 { action } else { nil } }),
        offset: 0)
    static let down = Embedding<Stairs, Counter>(
        "down",
        Scope(
            state: { $0.down }, modify: { $1(&$0.down) }, embed: Action.down,
            extract: { if case .down(let action) = $0 { action } else { nil } }),
        offset: 1 + Counter.scopes.count)
    static let scopes = up.scopeNames + down.scopeNames

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        if let actions = try up.prepare(action, state, context) { return actions }
        return try down.prepare(action, state, context) ?? []
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        up.reduce(&state, action, context) ?? down.reduce(&state, action, context) ?? []
    }

    static func changedScopes(from old: State, to new: State) -> ScopeSet {
        up.changedScopes(from: old, to: new).union(down.changedScopes(from: old, to: new))
    }

    static func scopes(of action: Action) -> ScopeSet { up.scopes(of: action).union(down.scopes(of: action)) }
    static func changes(from old: State, to new: State, limit: Int) -> [Change]? { nil }
    static func outline(of state: State) -> Value { .record([up.outline(of: state), down.outline(of: state)]) }
    static func lists(of state: State) -> [ListView] { [] }
    static func view(of state: State) -> Value { outline(of: state) }
}

/// A root above them: the stairs, and a tally with commands.
enum House: Feature {
    struct State: Sendable, Equatable {
        var stairs = Stairs.State()
        var tally = Tally.State()
    }

    enum Action: Sendable, Equatable {
        case stairs(Stairs.Action)
        case tally(Tally.Action)
    }

    typealias Command = Tally.Command

    static let stairs = Embedding<House, Stairs>(
        "stairs",
        Scope(
            state: { $0.stairs }, modify: { $1(&$0.stairs) }, embed: Action.stairs,
            extract: { if case .stairs(let action) = $0 { action } else { nil } }),
        offset: 0)
    static let tally = Embedding<House, Tally>(
        "tally",
        Scope(
            state: { $0.tally }, modify: { $1(&$0.tally) }, embed: Action.tally,
            extract: { if case .tally(let action) = $0 { action } else { nil } }),
        offset: 1 + Stairs.scopes.count)
    static let scopes = stairs.scopeNames + tally.scopeNames

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        if let actions = try stairs.prepare(action, state, context) { return actions }
        return try tally.prepare(action, state, context) ?? []
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        if stairs.reduce(&state, action, context) != nil { return [] }
        return tally.reduce(&state, action, context) ?? []
    }

    static func changedScopes(from old: State, to new: State) -> ScopeSet {
        stairs.changedScopes(from: old, to: new).union(tally.changedScopes(from: old, to: new))
    }

    static func scopes(of action: Action) -> ScopeSet { stairs.scopes(of: action).union(tally.scopes(of: action)) }
    static func changes(from old: State, to new: State, limit: Int) -> [Change]? { nil }
    static func outline(of state: State) -> Value { .record([stairs.outline(of: state), tally.outline(of: state)]) }
    static func lists(of state: State) -> [ListView] { [] }
    static func view(of state: State) -> Value { outline(of: state) }
}

extension House.State: CanonicalCodable {
    func encode(into writer: inout CanonicalWriter) {
        writer.message(1) { stairs.up.encode(into: &$0) }
        writer.message(2) { stairs.down.encode(into: &$0) }
        writer.message(3) { tally.encode(into: &$0) }
    }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        while let number = try cursor.nextField(in: bytes) {
            var inner = try cursor.enter(bytes)
            switch number {
            case 1: stairs.up = try Counter.State(from: bytes, &inner)
            case 2: stairs.down = try Counter.State(from: bytes, &inner)
            case 3: tally = try Tally.State(from: bytes, &inner)
            default: throw cursor.unknown()
            }
        }
    }
}

extension House.Action: CanonicalCodable {
    func encode(into writer: inout CanonicalWriter) {
        switch self {
        case .stairs(.up(let action)): writer.message(1) { action.encode(into: &$0) }
        case .stairs(.down(let action)): writer.message(2) { action.encode(into: &$0) }
        case .tally(let action): writer.message(3) { action.encode(into: &$0) }
        }
    }

    init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        var inner = try cursor.enter(bytes)
        switch number {
        case 1: self = .stairs(.up(try Counter.Action(from: bytes, &inner)))
        case 2: self = .stairs(.down(try Counter.Action(from: bytes, &inner)))
        case 3: self = .tally(try Tally.Action(from: bytes, &inner))
        default: throw cursor.unknown()
        }
    }
}

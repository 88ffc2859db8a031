import FeatureCounter
import Fields
import StoreRuntime

/// Two counters side by side.
enum Stairs: Feature {
    struct State: Fielded {
        var up = Counter.State()
        var down = Counter.State()

        mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.child(1, "up", Counter.self, &up)
            try visitor.child(2, "down", Counter.self, &down)
        }
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
            extract: { if case .up(let action) = $0 { action } else { nil } }))
    static let down = Embedding<Stairs, Counter>(
        "down",
        Scope(
            state: { $0.down }, modify: { $1(&$0.down) }, embed: Action.down,
            extract: { if case .down(let action) = $0 { action } else { nil } }))

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        if let actions = try up.prepare(action, state, context) { return actions }
        return try down.prepare(action, state, context) ?? []
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        up.reduce(&state, action, context) ?? down.reduce(&state, action, context) ?? []
    }

    static func scopes(of action: Action) -> ScopeSet { up.scopes(of: action).union(down.scopes(of: action)) }
}

/// A root above them: the stairs, and a tally with commands.
enum House: Feature {
    struct State: Fielded {
        var stairs = Stairs.State()
        var tally = Tally.State()

        mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.child(1, "stairs", Stairs.self, &stairs)
            try visitor.child(2, "tally", Tally.self, &tally)
        }
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
            extract: { if case .stairs(let action) = $0 { action } else { nil } }))
    static let tally = Embedding<House, Tally>(
        "tally",
        Scope(
            state: { $0.tally }, modify: { $1(&$0.tally) }, embed: Action.tally,
            extract: { if case .tally(let action) = $0 { action } else { nil } }))

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        if let actions = try stairs.prepare(action, state, context) { return actions }
        return try tally.prepare(action, state, context) ?? []
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        if stairs.reduce(&state, action, context) != nil { return [] }
        return tally.reduce(&state, action, context) ?? []
    }

    static func scopes(of action: Action) -> ScopeSet { stairs.scopes(of: action).union(tally.scopes(of: action)) }
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

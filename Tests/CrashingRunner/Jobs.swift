import Reducing
import Values

/// A feature of nothing but commands: which are done, and which wait for a person.
enum Jobs: Feature {
    typealias Command = Job

    struct State: Sendable, Equatable, CanonicalCodable {
        var done: [String] = []
        var parked: [String] = []

        init() {}

        func encode(into writer: inout CanonicalWriter) {
            for text in done { writer.element(1, text) }
            for text in parked { writer.element(2, text) }
        }

        init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            while let number = try cursor.nextField(in: bytes) {
                switch number {
                case 1: done.append(try cursor.textElement(bytes))
                case 2: parked.append(try cursor.textElement(bytes))
                default: throw cursor.unknown()
                }
            }
        }
    }

    enum Action: Sendable, Equatable, CanonicalCodable {
        case run(Job)
        case done(String)
        case parked(String)

        func encode(into writer: inout CanonicalWriter) {
            switch self {
            case .run(let job): writer.message(1, job)
            case .done(let text): writer.message(2) { $0.field(1, text) }
            case .parked(let text): writer.message(3) { $0.field(1, text) }
            }
        }

        init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            switch try cursor.nextField(in: bytes) {
            case 1: self = .run(try cursor.message(bytes))
            case 2: self = .done(try Self.text(bytes, &cursor))
            case 3: self = .parked(try Self.text(bytes, &cursor))
            default: throw cursor.unknown()
            }
        }

        private static func text(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> String {
            var inner = try cursor.enter(bytes)
            return try inner.nextField(in: bytes) == nil ? "" : try inner.text(bytes)
        }
    }

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] { [action] }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Job] {
        switch action {
        case .run(let job): return [job]
        case .done(let text): state.done.append(text)
        case .parked(let text): state.parked.append(text)
        }
        return []
    }

    static func ended(_ command: Job, _ end: CommandEnd) -> Action? {
        if case .parked(let reason) = end { .parked("\(command.text) \(reason)") } else { nil }
    }

    static func nature(of action: Action) -> ActionNature {
        if case .run = action { .order } else { .fact }
    }

    static let scopes = ["all"]
    static func changedScopes(from old: State, to new: State) -> ScopeSet { old == new ? [] : ScopeSet(index: 0) }
    static func scopes(of action: Action) -> ScopeSet { ScopeSet(index: 0) }
    static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        old == new ? [] : [Change(path: "", kind: .set)]
    }
    static func summary(of state: State) -> Value { [:] }
    static func lists(of state: State) -> [ListView] { [] }
    static func viewParts(of state: State) -> ViewParts { ViewParts([:]) }
}

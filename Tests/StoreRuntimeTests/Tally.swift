import Fields

/// A feature for these tests: a sum, a refusal, commands of both kinds and two scopes.
enum Tally: Feature {
    struct State: Fielded {
        var sum: Int64 = 0
        var asked: [String] = []

        init(sum: Int64, asked: [String] = []) {
            self.sum = sum
            self.asked = asked
        }

        init() { self.init(sum: 0) }

        mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.field(1, "sum", &sum, .shown)
            try visitor.field(2, "asked", &asked, .shown)
        }
    }

    enum Action: Sendable, Equatable, CanonicalCodable {
        case add(Int64)
        case ask(String)
        case show(String)
        /// Prepared to nothing.
        case idle
        /// Prepared to two adds.
        case twice(Int64)
        /// Takes the text at an index away.
        case forget(index: Int)

        func encode(into writer: inout CanonicalWriter) {
            switch self {
            case .add(let amount): writer.message(1) { $0.field(1, amount) }
            case .ask(let text): writer.message(2) { $0.field(1, text) }
            case .show(let text): writer.message(3) { $0.field(1, text) }
            case .idle: writer.message(4) { _ in }
            case .twice(let amount): writer.message(5) { $0.field(1, amount) }
            case .forget(let index): writer.message(6) { $0.field(1, UInt64(index)) }
            }
        }

        init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
            var inner = try cursor.enter(bytes)
            let field = try inner.nextField(in: bytes)
            switch number {
            case 1: self = .add(field == nil ? 0 : try inner.int(bytes))
            case 2: self = .ask(field == nil ? "" : try inner.text(bytes))
            case 3: self = .show(field == nil ? "" : try inner.text(bytes))
            case 4: self = .idle
            case 5: self = .twice(field == nil ? 0 : try inner.int(bytes))
            case 6: self = .forget(index: field == nil ? 0 : Int(try inner.uint(bytes)))
            default: throw cursor.unknown()
            }
        }
    }

    enum Command: NamedCommand, CanonicalCodable {
        case fetch(String)
        case open(String)

        var name: String {
            switch self {
            case .fetch: "tally.fetch"
            case .open: "tally.open"
            }
        }

        var isPresentational: Bool {
            if case .open = self { return true }
            return false
        }

        func encode(into writer: inout CanonicalWriter) {
            switch self {
            case .fetch(let text): writer.message(1) { $0.field(1, text) }
            case .open(let text): writer.message(2) { $0.field(1, text) }
            }
        }

        init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
            var inner = try cursor.enter(bytes)
            let text = try inner.nextField(in: bytes) == nil ? "" : try inner.text(bytes)
            self = number == 1 ? .fetch(text) : .open(text)
        }
    }

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .add(13): throw Refusal("Unlucky", "13 is refused; add another number.")
        case .idle: return []
        case .twice(let amount): return [.add(amount), .add(amount)]
        default: return [action]
        }
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .add(let amount):
            state.sum &+= amount
            return []
        case .ask(let text):
            state.asked.append(text)
            return [.fetch(text)]
        case .show(let text): return [.open(text)]
        case .idle, .twice: return []
        case .forget(let index):
            if state.asked.indices.contains(index) { state.asked.remove(at: index) }
            return []
        }
    }

    static func created(by action: Action) -> [UInt64] {
        if case .add(let amount) = action, amount > 0 { return [UInt64(amount)] }
        return []
    }

    static func scopes(of action: Action) -> ScopeSet {
        switch action {
        case .add, .twice: ScopeSet(index: 0)
        default: ScopeSet(index: 1)
        }
    }

    static func indexedScope(of action: Action) -> ScopeSet {
        if case .forget = action { return ScopeSet(index: 1) }
        return []
    }

    static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        var changes: [Change] = []
        if old.sum != new.sum {
            changes.append(Change(path: "", kind: .set, old: ["sum": .int(old.sum)], new: ["sum": .int(new.sum)]))
        }
        for index in old.asked.count..<max(old.asked.count, new.asked.count) {
            changes.append(
                Change(path: "asked", kind: .insert, id: Int64(index), at: index, new: ["text": .text(new.asked[index])]))
        }
        return changes.count > limit ? nil : changes
    }

    static func summary(of state: State) -> Value { ["sum": .int(state.sum), "asked": []] }

    static func lists(of state: State) -> [ListView] {
        [ListView(path: "asked", count: state.asked.count) { range in range.map { ["text": .text(state.asked[$0])] } }]
    }

    static func viewParts(of state: State) -> ViewParts {
        ViewParts(["sum": .int(state.sum), "rows": .list(state.asked.map { ["text": .text($0)] })])
    }
}

import Records
import Reducing
import StoreRuntime
import TimeTravel
import Values

/// A feature with commands, results and typing.
enum Diary: Feature {
    struct State: Sendable, Equatable, CanonicalCodable {
        var draft = ""
        var notes: [String] = []

        init() {}

        func encode(into writer: inout CanonicalWriter) {
            writer.field(1, draft)
            for note in notes { writer.element(2, note) }
        }

        init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            while let number = try cursor.nextField(in: bytes) {
                switch number {
                case 1: draft = try cursor.text(bytes)
                case 2: notes.append(try cursor.textElement(bytes))
                default: throw cursor.unknown()
                }
            }
        }
    }

    enum Action: Sendable, Equatable, CanonicalCodable, ValueConvertible {
        case note(String)
        case type(String)
        /// Asks for a fetch, and opens a page.
        case ask(String)
        /// What a fetch brought back.
        case brought(String)

        private var content: (number: UInt32, name: String, text: String) {
            switch self {
            case .note(let text): (1, "note", text)
            case .type(let text): (2, "type", text)
            case .ask(let text): (3, "ask", text)
            case .brought(let text): (4, "brought", text)
            }
        }

        private init?(number: Int, _ text: String) {
            switch number {
            case 1: self = .note(text)
            case 2: self = .type(text)
            case 3: self = .ask(text)
            case 4: self = .brought(text)
            default: return nil
            }
        }

        func encode(into writer: inout CanonicalWriter) {
            writer.message(content.number) { $0.field(1, content.text) }
        }

        init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
            var inner = try cursor.enter(bytes)
            let text = try inner.nextField(in: bytes) == nil ? "" : try inner.text(bytes)
            guard let action = Self(number: Int(number), text) else { throw cursor.unknown() }
            self = action
        }

        var value: Value { ["diary": .record([.init(content.name, ["text": .text(content.text)])])] }

        init(_ value: Value) throws(ValueMismatch) { throw ValueMismatch("", "not needed") }
    }

    enum Command: NamedCommand, CanonicalCodable {
        case fetch(String)
        case open(String)
        case cancel(String)

        var name: String {
            switch self {
            case .fetch: "diary.fetch"
            case .open: "diary.open"
            case .cancel: "diary.cancel"
            }
        }

        var isPresentational: Bool { if case .open = self { true } else { false } }

        var policy: CommandPolicy {
            if case .cancel = self { CommandPolicy(cancelID: "fetch", isCancellation: true) } else { CommandPolicy() }
        }

        func encode(into writer: inout CanonicalWriter) {
            switch self {
            case .fetch(let text): writer.message(1) { $0.field(1, text) }
            case .open(let text): writer.message(2) { $0.field(1, text) }
            case .cancel(let text): writer.message(3) { $0.field(1, text) }
            }
        }

        init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
            var inner = try cursor.enter(bytes)
            let text = try inner.nextField(in: bytes) == nil ? "" : try inner.text(bytes)
            self = number == 1 ? .fetch(text) : number == 2 ? .open(text) : .cancel(text)
        }

        var call: CommandCall {
            CommandCall(name: name, version: version, arguments: canonicalBytes, presentational: isPresentational)
        }
    }

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] { [action] }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Command] {
        switch action {
        case .note(let text), .brought(let text): state.notes.append(text)
        case .type(let text): state.draft = text
        case .ask(let text): return text == "stop" ? [.cancel(text)] : [.open(text), .fetch(text)]
        }
        return []
    }

    static func nature(of action: Action) -> ActionNature {
        switch action {
        case .type: .typing
        case .brought: .fact
        case .note, .ask: .order
        }
    }

    static let scopes = ["diary", "diary.draft", "diary.notes"]

    static func changedScopes(from old: State, to new: State) -> ScopeSet {
        var scopes: ScopeSet = []
        if old.draft != new.draft { scopes.formUnion([ScopeSet(index: 0), ScopeSet(index: 1)]) }
        if old.notes != new.notes { scopes.formUnion([ScopeSet(index: 0), ScopeSet(index: 2)]) }
        return scopes
    }

    static func scopes(of action: Action) -> ScopeSet { ScopeSet(index: 0) }

    static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        var changes: [Change] = []
        if old.draft != new.draft {
            changes.append(
                Change(path: "diary", kind: .set, old: ["draft": .text(old.draft)], new: ["draft": .text(new.draft)]))
        }
        if old.notes != new.notes {
            changes.append(Change(path: "diary", kind: .set, old: ["notes": old.notes.value], new: ["notes": new.notes.value]))
        }
        return changes.count <= limit ? changes : nil
    }

    static func summary(of state: State) -> Value { ["diary": ["draft": .text(state.draft), "notes": state.notes.value]] }
    static func lists(of state: State) -> [ListView] { [] }
    static func viewParts(of state: State) -> ViewParts { ViewParts(summary(of: state)) }
}

/// A log of diaries that a test writes record by record.
struct DiaryLog: Sendable {
    let log: any ActionLog

    init(_ log: any ActionLog = InMemoryActionLog()) { self.log = log }

    /// What a record is made of.
    struct Line {
        var kind = RecordKind.action
        var action: Diary.Action?
        var origin: UInt32 = 1000
        var cause: CommandID?
        var step: UInt64?
        var key: String?
    }

    /// Appends lines in one flush, with the rows that belong to them.
    func append(_ lines: [Line]) throws {
        var flush = Flush(after: log.head)
        for line in lines {
            let sequence = flush.sequence + 1
            var header = RecordHeader(
                kind: line.kind, sequence: sequence, time: flush.time + 1_000, origin: line.origin, step: line.step ?? sequence,
                cause: line.cause, key: line.key)
            var state = Diary.State()
            let commands = line.action.map { Diary.reduce(&state, $0, .test) } ?? []
            header.commands = commands.map(\.call)
            flush.stage(header) { writer in line.action?.encode(into: &writer) }
            for (index, command) in commands.enumerated()
            where !command.isPresentational && !command.policy.isCancellation {
                flush.add(OutboxRow(id: CommandID(sequence: sequence, index: UInt32(index)), call: command.call))
            }
            if line.kind == .end, let cause = line.cause { flush.close(cause) }
        }
        try log.append(flush)
    }

    var history: History<Diary> {
        History(log, snapshots: nil, fingerprint: "code", base: PastState(state: Diary.State()))
    }
}

import Reducing
import Values

/// A feature of nothing but commands: what was asked for, and how it ended.
enum Errands: Feature {
    typealias Command = Errand

    struct State: Sendable, Equatable, CanonicalCodable {
        var done: [String] = []
        var ended: [String] = []

        init(done: [String] = [], ended: [String] = []) {
            self.done = done
            self.ended = ended
        }

        func encode(into writer: inout CanonicalWriter) {
            for text in done { writer.element(1, text) }
            for text in ended { writer.element(2, text) }
        }

        init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            while let number = try cursor.nextField(in: bytes) {
                switch number {
                case 1: done.append(try cursor.textElement(bytes))
                case 2: ended.append(try cursor.textElement(bytes))
                default: throw cursor.unknown()
                }
            }
        }
    }

    enum Action: Sendable, Equatable, CanonicalCodable {
        case run(Errand)
        case note(String)
        /// What an errand brings back.
        case done(String)
        /// Another end of an errand.
        case ended(String)
        /// Prepared to `done` and `ended`.
        case both(String)
        /// An errand that, once it is done, is to be run again.
        case again(Errand)
        /// An errand that, once it is done, is to be run twice.
        case forked(Errand)

        func encode(into writer: inout CanonicalWriter) {
            switch self {
            case .run(let errand): writer.message(1, errand)
            case .note(let text): writer.message(2) { $0.field(1, text) }
            case .done(let text): writer.message(3) { $0.field(1, text) }
            case .ended(let text): writer.message(4) { $0.field(1, text) }
            case .both(let text): writer.message(5) { $0.field(1, text) }
            case .again(let errand): writer.message(6, errand)
            case .forked(let errand): writer.message(7, errand)
            }
        }

        init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
            switch try cursor.nextField(in: bytes) {
            case 1: self = .run(try cursor.message(bytes))
            case 2: self = .note(try Self.text(bytes, &cursor))
            case 3: self = .done(try Self.text(bytes, &cursor))
            case 4: self = .ended(try Self.text(bytes, &cursor))
            case 5: self = .both(try Self.text(bytes, &cursor))
            case 6: self = .again(try cursor.message(bytes))
            case 7: self = .forked(try cursor.message(bytes))
            case nil: throw CanonicalError(.missingField(1), at: cursor.offset)
            default: throw cursor.unknown()
            }
        }

        private static func text(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> String {
            var inner = try cursor.enter(bytes)
            return try inner.nextField(in: bytes) == nil ? "" : try inner.text(bytes)
        }
    }

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .done("bad"): throw Refusal("Bad", "This is no result.")
        case .note("bad"): throw Refusal("Bad", "This is no note.")
        case .both(let text): [.done(text), .ended(text)]
        default: [action]
        }
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Errand] {
        switch action {
        case .run(let errand): return [errand]
        case .again(let errand):
            state.done.append(errand.text)
            return [errand]
        case .forked(let errand): return [errand, errand]
        case .done(let text), .note(let text): state.done.append(text)
        case .ended(let text): state.ended.append(text)
        case .both: break
        }
        return []
    }

    static func ended(_ command: Errand, _ end: CommandEnd) -> Action? {
        if command.isSilent { return nil }
        return switch end {
        case .failed(let reason): .ended("\(command.text) failed: \(reason)")
        case .skipped: .ended("\(command.text) skipped")
        case .cancelled: .ended("\(command.text) cancelled")
        case .superseded: .ended("\(command.text) superseded")
        case .parked(let reason): .ended("\(command.text) parked: \(reason)")
        }
    }

    static func nature(of action: Action) -> ActionNature {
        switch action {
        case .run, .note: .order
        case .done, .ended, .both, .again, .forked: .fact
        }
    }

    static let scopes = ["done"]
    static func changedScopes(from old: State, to new: State) -> ScopeSet { old == new ? [] : ScopeSet(index: 0) }
    static func scopes(of action: Action) -> ScopeSet { ScopeSet(index: 0) }
    static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        old == new ? [] : [Change(path: "", kind: .set)]
    }
    static func summary(of state: State) -> Value { [:] }
    static func lists(of state: State) -> [ListView] { [] }
    static func viewParts(of state: State) -> ViewParts { ViewParts([:]) }
}

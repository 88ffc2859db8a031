import Chronicle

/// A feature that consists of commands: it stores their results and ends.
enum Errands: Feature {
    typealias Command = Errand

    struct State: FieldCoding {
        var done: [String] = []
        var ended: [String] = []

        mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
            try fields.field(1, "done", &done)
            try fields.field(2, "ended", &ended)
        }
    }

    enum Action: CaseCoding {
        case run(Errand)
        case note(String)
        /// The result of an errand.
        case done(String)
        /// An end of an errand without a result.
        case ended(String)
        /// Prepared to `done` and `ended`.
        case both(String)
        /// An errand whose result requests it again.
        case again(Errand)
        /// An errand whose result requests it twice.
        case forked(Errand)

        static func defaultInstance(_ number: UInt32) -> Action? {
            let defaultInstances: [Action] = [
                .run(Errand()), .note(""), .done(""), .ended(""), .both(""), .again(Errand()), .forked(Errand()),
            ]
            return defaultInstances.indices.contains(Int(number) - 1) ? defaultInstances[Int(number) - 1] : nil
        }

        consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> Action {
            func errand(
                _ number: UInt32, _ name: String, _ errand: Errand, _ make: (Errand) -> Action
            ) throws(Visitor.Failure) -> Action {
                var errand = errand
                try fields.whole(number, name, &errand)
                return make(errand)
            }
            func text(_ number: UInt32, _ name: String, _ text: String, _ make: (String) -> Action) throws(Visitor.Failure)
                -> Action
            {
                var text = text
                fields.choose(number, name)
                try fields.field(1, "text", &text)
                return make(text)
            }
            return switch self {
            case .run(let content): try errand(1, "run", content, Action.run)
            case .note(let content): try text(2, "note", content, Action.note)
            case .done(let content): try text(3, "done", content, Action.done)
            case .ended(let content): try text(4, "ended", content, Action.ended)
            case .both(let content): try text(5, "both", content, Action.both)
            case .again(let content): try errand(6, "again", content, Action.again)
            case .forked(let content): try errand(7, "forked", content, Action.forked)
            }
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

    static func kind(of action: Action) -> ActionKind {
        switch action {
        case .run, .note: .command
        case .done, .ended, .both, .again, .forked: .event
        }
    }
}

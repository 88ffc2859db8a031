import Chronicle

extension Tally.Command {
    /// The client opens a page.
    var isPresentational: Bool { if case .open = self { true } else { false } }
}

extension Tally {
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
            state.append(Asked(id: (state.asked.id(at: state.asked.count - 1) ?? 0) + 1, text: text))
            return [.fetch(text)]
        case .show(let text): return [.open(text)]
        case .idle, .twice: return []
        case .forget(let index):
            if let id = state.asked.id(at: index) { state.asked.remove(id) }
            return []
        }
    }

    static func created(by action: Action) -> [UInt64] {
        if case .add(let amount) = action, amount > 0 { return [UInt64(amount)] }
        return []
    }

    static func indexedScope(of action: Action) -> ScopeSet {
        if case .forget = action { return ScopeSet(index: 1) }
        return []
    }

    static func viewParts(of state: State) -> ViewParts {
        ViewParts(["sum": .int(state.sum), "rows": .list(state.texts.map { ["text": .text($0)] })])
    }
}

extension Tally.State {
    init(sum: Int64, asked texts: [String]) {
        self.init(sum: sum, asked: texts.enumerated().map { Asked(id: UInt64($0 + 1), text: $1) })
    }

    var texts: [String] { asked.elements.map(\.text) }
}

/// What a verb makes of todos: `done`, and that some are so already.
struct TodoOutcome {
    /// What they would be.
    let word: String
    /// What those are already that it leaves as they are.
    let state: String
    let isSo: (Todo) -> Bool

    private init(_ word: String, state: String = "", isSo: @escaping (Todo) -> Bool = { _ in false }) {
        (self.word, self.state, self.isSo) = (word, state, isSo)
    }

    static var done: TodoOutcome { TodoOutcome("done", state: "done", isSo: \.isDone) }
    static var reopened: TodoOutcome { TodoOutcome("reopened", state: "open") { !$0.isDone } }
    static var removed: TodoOutcome { TodoOutcome("removed") }
    static var changed: TodoOutcome { TodoOutcome("changed", state: "so") }

    /// - Parameter place: `the top`.
    static func moved(to place: String) -> TodoOutcome { TodoOutcome("moved to \(place)") }

    /// - Parameter hasMoved: whether any of them stood elsewhere.
    static func moved(_ hasMoved: Bool) -> TodoOutcome { TodoOutcome("moved", state: "there") { _ in !hasMoved } }

    /// `3 todos would be done; 1 is done already`, of what is only tried out.
    func heading(of todos: [Todo]) -> String {
        let others = todos.count(where: isSo)
        return heading(todos.count - others, besides: others)
    }

    /// The same of so many, and of others that are so already.
    func heading(_ count: Int, besides others: Int) -> String {
        let rest = others == 0 ? "" : "; \(Digits.grouped(others)) \(others == 1 ? "is" : "are") \(state) already"
        return "\(Digits.counted(count, "todo")) would be \(word)\(rest)"
    }

    /// `Done: 21 todos; 9 were done already`, or `9 todos were done already`.
    func told(_ said: String, _ count: Int, besides others: Int) -> String {
        let were = others == 1 ? "was" : "were"
        if count == 0, others > 0 { return "\(Digits.counted(others, "todo")) \(were) \(state) already" }
        let rest = others == 0 ? "" : "; \(Digits.grouped(others)) \(were) \(state) already"
        return "\(said) \(Digits.counted(count, "todo"))\(rest)"
    }
}

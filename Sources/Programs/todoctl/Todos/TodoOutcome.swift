/// The words for what a verb does to todos, including those that need no change.
struct TodoOutcome {
    /// For example "done".
    let word: String
    /// The state of unaffected todos, such as "done".
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

    /// - Parameter hasMoved: whether any of them moved.
    static func moved(_ hasMoved: Bool) -> TodoOutcome { TodoOutcome("moved", state: "there") { _ in !hasMoved } }

    /// A preview: `3 todos would be done; 1 is done already`.
    func heading(of todos: [Todo]) -> String {
        let others = todos.count(where: isSo)
        return heading(todos.count - others, besides: others)
    }

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

/// What a verb makes of todos: `done`, and that some are so already.
struct TodoFate {
    /// What they would be.
    let word: String
    /// What those are that are so already.
    let already: String
    let isSo: (Todo) -> Bool

    private init(_ word: String, already: String = "", isSo: @escaping (Todo) -> Bool = { _ in false }) {
        (self.word, self.already, self.isSo) = (word, already, isSo)
    }

    static var done: TodoFate { TodoFate("done", already: "done", isSo: \.isDone) }
    static var reopened: TodoFate { TodoFate("reopened", already: "open") { !$0.isDone } }
    static var removed: TodoFate { TodoFate("removed") }
    static var changed: TodoFate { TodoFate("changed") }

    /// - Parameter place: `the top`.
    static func moved(to place: String) -> TodoFate { TodoFate("moved to \(place)") }

    /// `3 todos would be done; 1 is done already`, of what is only tried out.
    func heading(of todos: [Todo]) -> String {
        let count = todos.count(where: isSo)
        let rest = count == 0 ? "" : "; \(Digits.grouped(count)) \(count == 1 ? "is" : "are") \(already) already"
        return "\(Digits.counted(todos.count - count, "todo")) would be \(word)\(rest)"
    }
}

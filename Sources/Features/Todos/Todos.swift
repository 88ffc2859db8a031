public import Chronicle
import TodoRules

/// A command that would change nothing, such as completing a completed todo, logs nothing and is no error.
extension Todos {
    /// A title, an input section with one row, and a section with a row for each todo.
    ///
    /// For each section, `selections` has the action that selecting a row dispatches with the row's ID; the input section has none.
    public static func viewParts(of state: State) -> ViewParts {
        ViewParts(
            [
                "title": .text("TODO - (\(state.items.count))"),
                "addEnabled": .bool(TitleRule.charactersMissing(in: TitleRule.trimmed(state.draft)) == 0),
                "draft": .text(state.draft),
                "sections": [1, .int(Int64(state.items.count))],
                "selections": ["", "remove"],
            ],
            lists: [
                ViewList(state.items, at: "rows") { todo in
                    ["id": .int(Int64(clamping: todo.id)), "text": .text(todo.title), "done": .bool(todo.isCompleted)]
                }
            ])
    }

    enum Limits {
        static let todosMax = 10_000_000
        static let draftBytesMax = 65_536
        static let reasonBytesMax = 4096
        /// Maximum number of todos per action that restores todos.
        static let putBackMax = 256
    }
}

import ArgumentParser
import Chronicle
import TodoAPI

struct DraftVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "draft", abstract: "Show or set the draft of the next todo.",
        discussion: """
            EXAMPLES:
              todoctl draft
              todoctl draft Buy the milk
              todoctl draft ""
              todoctl submit

            All clients share one draft; submit adds it as a todo.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The text.")
    var words: [String] = []

    func run(_ session: Session) throws {
        guard words.isEmpty else {
            return try session.change([TodoAction.updateText(words.joined(separator: " "))]) { _ in [] }
        }
        try session.pages(.init(scope: "todos.draft")) { page throws(Failure) in
            if session.isJSON {
                session.output.json(page)
            } else {
                session.output.line(Visible.text(page.state["todos"]?["draft"]?.text ?? ""))
            }
            return .enough
        }
    }
}

struct Submit: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit", abstract: "Add the draft as a todo, and clear it.",
        examples: "todoctl submit", "todoctl draft Buy the milk; todoctl submit")

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        try session.change([TodoAction.submit()]) { session.added($0.ids) }
    }
}

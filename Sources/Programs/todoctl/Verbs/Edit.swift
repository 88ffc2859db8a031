import ArgumentParser
import Dates
import TodoAPI

struct Edit: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change a todo; what is not named stays.",
        discussion: """
            EXAMPLES:
              todoctl edit 3 Buy oat milk
              todoctl edit 3 --due "friday 14:30" --priority high
              todoctl edit 3 --tag shop --untag home
              todoctl edit 3 --no-due --no-note
            """)

    @OptionGroup var options: Options

    @Argument(help: "The todo's id.")
    var id: Int64

    @Argument(help: "Its new title.")
    var words: [String] = []

    @OptionGroup var fields: TodoFields

    @Option(help: ArgumentHelp("A tag that it loses; can be given several times.", valueName: "tag"))
    var untag: [String] = []

    @OptionGroup var cleared: ClearedTodoFields

    func validate() throws {
        try cleared.check(against: fields)
        let isEmpty = words.isEmpty && fields.isEmpty && untag.isEmpty && cleared.isEmpty
        if isEmpty { throw ValidationError("What is to be changed? For example: todoctl edit 3 Buy oat milk") }
    }

    func run() throws {
        try options.session { session in
            var edit = try fields.draft(words, session)
            cleared.clear(&edit)
            let said = "Changed \(id)." + ((edit.due ?? nil).map { " It is due \($0.spelled)." } ?? "")
            guard !fields.tag.isEmpty || !untag.isEmpty else {
                return try session.change([TodoAction.edit(id, edit)]) { _ in [said] }
            }
            try changeTags(edit, said, session)
        }
    }

    // How often the list may have changed while it was read.
    private static let attemptsMax = 20

    /// The action holds all tags, so they are read first, and the todos must not have changed since.
    private func changeTags(_ edit: TodoDraft, _ said: String, _ session: Session) throws(Failure) {
        var edit = edit
        var attempts = 0
        while true {
            let (todo, page) = try session.todo(id)
            edit.tags = todo.tags.filter { !untag.contains($0) && !fields.tag.contains($0) } + fields.tag
            let input = DispatchMethod.Input(
                actions: [TodoAction.edit(id, edit)], expectedSequence: page.sequence, scope: "todos.items", epoch: page.epoch)
            do throws(Failure) {
                return try session.change(input) { _ in [said] }
            } catch {
                attempts += 1
                guard case .staleSequence = error.known, attempts < Edit.attemptsMax else { throw error }
            }
        }
    }
}

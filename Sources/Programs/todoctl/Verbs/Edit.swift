import ArgumentParser
import Chronicle
import Dates
import TodoAPI

struct Edit: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change the given fields of todos.",
        discussion: """
            EXAMPLES:
              todoctl edit 3 --title "Buy oat milk"
              todoctl edit 3 -- Buy oat milk
              todoctl edit 3 --due "friday 14:30" --priority high
              todoctl edit 4 5 6 -d today
              todoctl edit +shop is:overdue --tag urgent --untag shop
              todoctl edit 3 --no-due --no-note
              todoctl edit +shop --priority none --dry-run
              todoctl edit +tax --wait-until "1 march"
              todoctl edit 3 --after 12,13
              todoctl edit 3 --every "2 weeks"
              todoctl edit 3 --every "monday 9:00"
              todoctl edit 3 --no-every --no-remind
              todoctl edit 3 --remind "friday 9:00"
              todoctl edit 3 --remind 1h before

            If a filter matches several todos, they are shown and confirmed first; the change is one step. --dry-run shows what
            would become of each. The value none clears a field, like --no-due.
            """)

    @OptionGroup var options: Options

    @OptionGroup var selection: Selection

    @Option(help: "New title; the words after -- are the title as well.")
    var title: [String] = []

    @OptionGroup var fields: TodoFields

    @Option(
        help: ArgumentHelp("Tag to remove, or several separated by commas; can be repeated.", valueName: "tag"),
        completion: .tags)
    var untag: [String] = []

    @OptionGroup var cleared: ClearedTodoFields

    func validate() throws {
        try cleared.check(against: fields)
        if title.count > 1 { throw ValidationError("The title is given twice: use --title or words after --.") }
        let isEmpty = title.isEmpty && fields.isEmpty && untag.isEmpty && cleared.isEmpty
        if isEmpty {
            throw ValidationError("No change is given. A title follows after --, for example: todoctl edit 3 -- Buy oat milk")
        }
        try checkQuotes()
    }

    /// Refuses `edit 3 --title Buy oat milk`, whose unquoted words would be read as a filter.
    private func checkQuotes() throws {
        let plain = selection.words.drop { $0.allSatisfy { $0.isNumber || $0 == "," || $0 == "-" } }
        guard !selection.words.isEmpty, plain.count < selection.words.count, let word = plain.first,
            plain.allSatisfy({ $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "'" } })
        else { return }
        throw ValidationError(
            "\(Visible.text(word)) is mixed with ids. Quote values of several words, or put the title after --: "
                + "todoctl edit 3 -- Buy oat milk")
    }

    func run(_ session: Session) throws {
        var draft = try fields.draft(title, session)
        cleared.clear(&draft)
        let edit = try TodoEdit(
            draft: draft, reminder: fields.reminder(session), tags: fields.tags, untag: Tags.typed(untag))
        guard let todos = try selection.todos("Change them?", .changed, session, tellsChange: true) else { return }
        guard edit.draft.title == nil || todos.ids.count == 1 else {
            throw Failure(.usage, "A title applies to one todo, but \(Digits.grouped(todos.ids.count)) are selected.")
        }
        guard edit.isOfEach || selection.consent.dryRun else {
            let draft = try edit.applied(to: nil, at: session.now)
            return try session.change(todos.ids.map { TodoAction.edit($0, draft) }) { _ in
                todos.changed(at: session.now) { _ in draft }
            }
        }
        try changeEach(todos.ids, edit, session)
    }

    /// Shows the changed todos, after the daemon has checked the actions.
    private func preview(_ actions: [Value], _ lines: [String], _ session: Session) throws(Failure) {
        do throws(Failure) {
            try session.change(DispatchMethod.Input(actions: actions, dryRun: true)) { _ in lines }
        } catch {
            // The reply lists all changes, which can exceed the size of a reply.
            guard error.isTooLarge, !session.isJSON else { throw error }
            session.show(lines)
        }
    }

    private static let attemptsMax = 20

    /// Computes the edits from the current todos, and repeats that if they change before the dispatch.
    private func changeEach(_ ids: [Int64], _ edit: TodoEdit, _ session: Session) throws(Failure) {
        var attempts = 0
        while true {
            let (todos, page) = try session.todos(ids)
            var drafts: [Int64: TodoDraft] = [:]
            for todo in todos { drafts[todo.id] = try edit.applied(to: todo, at: session.now) }
            let edited = { drafts[$0] ?? edit.draft }
            let actions = ids.map { TodoAction.edit($0, edited($0)) }
            if selection.consent.dryRun {
                return try preview(actions, TodoSentences(todos).wouldBeChanged(at: session.now, edited), session)
            }
            let input = DispatchMethod.Input(
                actions: actions, expectedSequence: page.sequence, scope: "todos.items", epoch: page.epoch)
            do throws(Failure) {
                return try session.change(input) { _ in TodoSentences(todos).changed(at: session.now, edited) }
            } catch {
                attempts += 1
                guard case .staleSequence = error.known, attempts < Edit.attemptsMax else { throw error }
            }
        }
    }
}

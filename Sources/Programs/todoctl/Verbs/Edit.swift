import ArgumentParser
import Chronicle
import Dates
import TodoAPI

struct Edit: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change todos; what is not named stays.",
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

            More than one that a filter means are shown first, and asked about; they are one step. --dry-run says what would become of
            each. What is none is taken away, as by --no-due.
            """)

    @OptionGroup var options: Options

    @OptionGroup var selection: Selection

    @Option(help: "Its new title; so are the words behind --.")
    var title: [String] = []

    @OptionGroup var fields: TodoFields

    @Option(
        help: ArgumentHelp("A tag that it loses, or several with commas; can be given several times.", valueName: "tag"),
        completion: .tags)
    var untag: [String] = []

    @OptionGroup var cleared: ClearedTodoFields

    func validate() throws {
        try cleared.check(against: fields)
        if title.count > 1 { throw ValidationError("The title is given twice. It is that of --title, or the words behind --.") }
        let isEmpty = title.isEmpty && fields.isEmpty && untag.isEmpty && cleared.isEmpty
        if isEmpty {
            throw ValidationError("What is to be changed? A title stands behind --, for example: todoctl edit 3 -- Buy oat milk")
        }
        try checkQuotes()
    }

    /// Refuses `edit 3 --title Buy oat milk`: of a value of several words without quotes the rest would be a part of the filter.
    private func checkQuotes() throws {
        let plain = selection.words.drop { $0.allSatisfy { $0.isNumber || $0 == "," || $0 == "-" } }
        guard !selection.words.isEmpty, plain.count < selection.words.count, let word = plain.first,
            plain.allSatisfy({ $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "'" } })
        else { return }
        throw ValidationError(
            "\(Visible.text(word)) stands beside ids. To set several words put them in quotes, or a title behind --: "
                + "todoctl edit 3 -- Buy oat milk")
    }

    func run(_ session: Session) throws {
        var draft = try fields.draft(title, session)
        cleared.clear(&draft)
        let edit = try TodoEdit(
            draft: draft, reminder: fields.reminder(session), tags: fields.tags, untag: Tags.typed(untag))
        guard let todos = try selection.todos("Change them?", .changed, session, tellsChange: true) else { return }
        guard edit.draft.title == nil || todos.ids.count == 1 else {
            throw Failure(.usage, "A title is for one todo, and \(Digits.grouped(todos.ids.count)) are meant.")
        }
        guard edit.isOfEach || selection.consent.dryRun else {
            let draft = try edit.applied(to: nil, at: session.now)
            return try session.change(todos.ids.map { TodoAction.edit($0, draft) }) { _ in
                todos.changed(at: session.now) { _ in draft }
            }
        }
        try changeEach(todos.ids, edit, session)
    }

    /// Says what would become of todos, after the daemon was asked whether it would take that.
    private func preview(_ actions: [Value], _ lines: [String], _ session: Session) throws(Failure) {
        do throws(Failure) {
            try session.change(DispatchMethod.Input(actions: actions, dryRun: true)) { _ in lines }
        } catch {
            // It tells all that would change, which of many is more than an answer holds.
            guard error.isTooLarge, !session.isJSON else { throw error }
            session.show(lines)
        }
    }

    // How often the list may have changed while it was read.
    private static let attemptsMax = 20

    /// What follows from how the todos are is made of what was read, and they must not have changed since.
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

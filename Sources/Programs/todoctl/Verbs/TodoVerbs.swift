import ArgumentParser
import Chronicle
import TodoAPI

struct Done: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "done",
        abstract: "Mark todos as done.",
        discussion: """
            EXAMPLES:
              todoctl done 3
              todoctl done 3 4 5
              todoctl done +shop 'due<=today'

            If a filter matches several todos, they are shown and confirmed first; the change is one step. The next occurrences of
            recurring todos (add --every) are added in the same step.
            """)

    @OptionGroup var options: Options

    @OptionGroup var selection: Selection

    func run(_ session: Session) throws {
        guard let todos = try selection.todos("Mark them as done?", .done, session) else { return }
        let today = session.dayBesideUTC
        try session.change(todos.ids.map { TodoAction.complete($0, on: today) }) { answer in
            todos.done + session.next(answer.ids)
        }
    }
}

struct Reopen: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "reopen", abstract: "Mark done todos as open again.",
        examples: "todoctl reopen 3", "todoctl reopen 'completed>yesterday' --yes")

    @OptionGroup var options: Options

    @OptionGroup var selection: Selection

    func run(_ session: Session) throws {
        guard let todos = try selection.todos(of: .done, "Reopen them?", .reopened, session) else { return }
        try session.change(todos.ids.map(TodoAction.reopen)) { _ in todos.open }
    }
}

struct Remove: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove todos.",
        examples: "todoctl remove 3", "todoctl remove 3 4 5", "todoctl remove 11-13 --dry-run", "todoctl remove 11-13 -y")

    @OptionGroup var options: Options

    @OptionGroup var selection: Selection

    func run(_ session: Session) throws {
        guard let todos = try selection.todos("Remove them?", .removed, session) else { return }
        try session.change(todos.ids.map(TodoAction.remove)) { _ in todos.removed }
    }
}

struct Move: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move todos to another place in the list.",
        discussion: """
            EXAMPLES:
              todoctl move 3 --top
              todoctl move 3 --bottom
              todoctl move 3 --to 5
              todoctl move +work --top

            Several todos are moved together, in their order in the list, or in the order of the given ids.
            """)

    @OptionGroup var options: Options

    @OptionGroup var selection: Selection

    @Flag(help: "Move to the top.")
    var top = false

    @Flag(help: "Move to the bottom.")
    var bottom = false

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Move to this place, counted from 1 at the top.", valueName: "place"),
        transform: Numeral.whole(from: 1))
    var to: Int?

    func validate() throws {
        let places = [top ? "--top" : nil, bottom ? "--bottom" : nil, to.map { _ in "--to" }].compactMap(\.self)
        if places.isEmpty { throw ValidationError("Missing place: give one of --top, --bottom, --to PLACE.") }
        if places.count > 1 { throw ValidationError("\(ChangeSentence.listed(places)) exclude each other.") }
    }

    func run(_ session: Session) throws {
        let end = top ? "the top" : bottom ? "the bottom" : to.map { "place \($0)" } ?? ""
        guard let todos = try selection.todos("Move them?", .moved(to: end), session) else { return }
        var place = to.map { $0 - 1 } ?? 0
        if bottom {
            try session.pages(.init(scope: "todos.items", limit: 0)) { page throws(Failure) in
                place = max(Int(clamping: page.count ?? 0) - todos.ids.count, 0)
                return .more
            }
        }
        try session.change(Self.actions(todos.ids, to: place)) { todos.moved(!$0.sequences.isEmpty) }
    }

    /// Moves todos to consecutive places, starting at `place`, counted from 0.
    static func actions(_ ids: [Int64], to place: Int) -> [Value] {
        guard ids.count > 1 else { return ids.map { TodoAction.move($0, to: place) } }
        // All to the top first, because removing todos from above a place shifts that place.
        let gathered = ids.reversed().map { TodoAction.move($0, to: 0) }
        let last = place.addingReportingOverflow(ids.count - 1)
        return place == 0 ? gathered : gathered + ids.map { TodoAction.move($0, to: last.overflow ? .max : last.partialValue) }
    }
}

struct Clear: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove all completed todos.",
        discussion: """
            EXAMPLES:
              todoctl clear
              todoctl clear --dry-run
              todoctl clear -y

            Several todos are shown first and need confirmation. The change is one step.
            """)

    @OptionGroup var options: Options

    @OptionGroup var consent: Consent

    func run(_ session: Session) throws {
        let (todos, page) = try session.elements(TodoFilter(which: .done).input(session), Todo.init)
        if todos.isEmpty, !session.isJSON { return session.output.line("No todos are done.") }
        let isJSONPreview = session.isJSON && consent.dryRun
        guard try isJSONPreview || consent.isGiven(to: todos, "Remove them?", .removed, session) else { return }
        var input = DispatchMethod.Input(actions: [TodoAction.clearCompleted()], dryRun: isJSONPreview ? true : nil)
        // A todo completed since then was not shown, so the dispatch must be refused.
        if !consent.yes { (input.expectedSequence, input.scope, input.epoch) = (page.sequence, "todos.items", page.epoch) }
        try session.change(input) { answer in
            guard let record = answer.sequences.first else { return ["No todos are done."] }
            // Only the changes of the record tell which todos were removed.
            let changes = (try? session.record(record, changes: true))?.detail?.changes
            let gone = changes?.filter { $0.path == "todos.items" && $0.kind == .remove }.compactMap {
                $0.old.flatMap(Todo.init)
            }
            return gone.map { TodoSentences($0).removed } ?? ["Removed all done todos."]
        }
    }
}

struct Load: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load todos from the source that the daemon is configured with.",
        discussion: """
            EXAMPLES:
              todoctl load
              todoctl load --no-wait
              todoctl watch todos

            Loaded todos are added at the top; todos whose title is already in the list are skipped. On a terminal, or with
            --wait, waits for the result, across restarts of the daemon; the exit status is 1 if loading fails. An alert gives the
            reason. Ctrl-C ends only the wait.
            """)

    @OptionGroup var options: Options
    @OptionGroup var waiting: WaitOption

    func run() throws { try waiting.run(.load, options) }
}

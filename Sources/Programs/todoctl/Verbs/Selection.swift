import ArgumentParser
import Dates
import Terminal
import TodoAPI

/// Selects the todos that a verb changes, by ids or a filter.
///
/// A filter that matches several todos must be confirmed; ids need no confirmation.
struct Selection: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Ids, or a filter as in list: words, +tag, 'due<friday', 11-13.", valueName: "filter"),
        completion: .filter)
    var words: [String]

    @OptionGroup var consent: Consent

    /// Maximum number of todos of one step; each takes one or two records of its batch.
    static let todosMax = 8_000

    /// The selected todos, in the order of the list for a filter; `nil` if nothing is to be done.
    ///
    /// - Parameters:
    ///   - which: the todos that a filter selects if it does not say so itself.
    ///   - question: the confirmation of several todos: `Remove them?`
    ///   - fate: the outcome for the todos.
    ///   - tellsChange: whether the verb itself previews the changes with `--dry-run`, and so needs the todos.
    func todos(
        of which: TodoFilter.Which = .open, _ question: String, _ fate: TodoOutcome, _ session: Session, tellsChange: Bool = false
    ) throws(Failure) -> TodoSentences? {
        let filter = try session.filter(words)
        if let ids = filter.ids {
            guard ids.count <= Self.todosMax else { throw tooMany }
            if !consent.dryRun || tellsChange { return try named(ids, session) }
        }
        let chosen = TodoFilter.chosen(by: filter, which)
        var input = try chosen.input(session)
        input.limit = UInt64(Self.todosMax + 1)
        var todos: [Todo] = []
        try session.pages(input) { page throws(Failure) in
            todos += page.todos.compactMap(Todo.init)
            if session.isJSON, consent.dryRun, !tellsChange { session.output.json(page) }
            return .more
        }
        guard !todos.isEmpty else { throw try Self.nothing(words, chosen, session) }
        guard todos.count <= Self.todosMax else { throw tooMany }
        if consent.dryRun, tellsChange { return TodoSentences(todos) }
        return try consent.isGiven(to: todos, question, fate, session) ? TodoSentences(todos) : nil
    }

    /// The todos of these ids; JSON needs no titles, and the daemon refuses unknown ids.
    private func named(_ ids: [Int64], _ session: Session) throws(Failure) -> TodoSentences {
        session.isJSON ? TodoSentences(ids: ids) : TodoSentences(ids: ids, before: try session.known(Set(ids)))
    }

    /// The number of todos shown before a question, leaving room on a terminal for four other lines.
    ///
    /// - Parameter rows: the rows of the terminal; `nil` without one.
    static func shownMax(rows: Int?) -> Int { min(TodoSentences.namedMax, max(1, rows.map { $0 - 4 } ?? .max)) }

    /// The error if nothing is selected, which counts matching todos of the other kind.
    static func nothing(_ words: [String], _ chosen: TodoFilter, _ session: Session) throws(Failure) -> Failure {
        let waiting = try session.waiting(chosen)
        guard waiting == 0, let other = chosen.which.other, !chosen.filter.isDefinite else {
            return nothing(words, waiting: waiting)
        }
        let count = try session.count(of: TodoFilter(which: other, filter: chosen.filter))
        guard count > 0 else { return nothing(words) }
        let (none, those) = other == .done ? ("No open todo", "done") : ("No completed todo", "open")
        let what = Visible.text("\(none) matches “\(words.joined(separator: " "))”")
        let rest = "\(Digits.grouped(count)) \(count == 1 ? "is" : "are") \(those)"
        return Failure(.refused, "\(what); \(rest).\n" + Failure.showsTodos)
    }

    /// - Parameter waiting: the number of matching todos that wait, which are not selected.
    static func nothing(_ words: [String], waiting: Int = 0) -> Failure {
        let what = Visible.text("No todo matches “\(words.joined(separator: " "))”")
        guard waiting > 0 else { return Failure(.refused, what + ".\n" + Failure.showsTodos) }
        let list = Visible.text(ShellWords.line(["todoctl", "list", "is:waiting"] + words))
        let those = Digits.counted(waiting, "that waits", "that wait")
        return Failure(.refused, "\(what), except \(those).\nTo see them: \(list)")
    }

    private var tooMany: Failure {
        Failure(
            .usage,
            "More than \(Digits.grouped(Self.todosMax)) todos are selected, the maximum of one step. Add a range of ids, such as 1-5000."
        )
    }
}

extension Consent {
    /// Lists several todos and asks for confirmation; a dry run only lists them and returns `false`.
    func isGiven(to todos: [Todo], _ question: String, _ fate: TodoOutcome, _ session: Session) throws(Failure) -> Bool {
        guard dryRun || todos.count > 1 && !yes else { return true }
        try show(todos, dryRun ? fate.heading(of: todos) : Digits.counted(todos.count, "todo"), session)
        if !dryRun { try ask(question, session) }
        return !dryRun
    }

    /// Shows the number of todos and the first of them.
    private func show(_ todos: [Todo], _ heading: String, _ session: Session) throws(Failure) {
        guard !session.isJSON else { return }
        session.output.line(heading + ":")
        let shown = Array(todos.prefix(Selection.shownMax(rows: session.isTerminal ? Size.ofTerminal.rows : nil)))
        let indent = "  "
        let blocking = shown.contains { !$0.after.isEmpty } ? try session.blocking() : Blocking()
        let table = TodoTable(
            paint: session.paint, now: session.now, width: session.width, indent: indent.utf8.count, blocking: blocking)
        for line in table.lines(shown) { session.output.line(indent + line) }
        if shown.count < todos.count { session.output.line("  and \(Digits.grouped(todos.count - shown.count)) more") }
    }
}

extension Session {
    /// The number of matching todos that wait, if the filter omits those.
    func waiting(_ filter: TodoFilter) throws(Failure) -> Int {
        filter.leavesOutWaiting ? try count(of: filter.ofWaiting) : 0
    }

    fileprivate func count(of filter: TodoFilter) throws(Failure) -> Int {
        try elements(try filter.input(self), Todo.init).0.count
    }
}

extension TodoFilter {
    /// Limits a filter to open or completed todos, unless it says so itself.
    static func chosen(by filter: Filter, _ which: Which) -> TodoFilter {
        TodoFilter(which: filter.isDefinite ? .all : which, filter: filter)
    }

    /// The query for the matching todos.
    ///
    /// - Parameter moment: the time for waiting and overdue todos; `nil` for now.
    func input(
        _ session: Session, at point: Point? = nil, on moment: Moment? = nil
    ) throws(Failure) -> GetStateMethod.Input {
        .init(scope: "todos.items", at: point, where: try condition(at: moment ?? session.now))
    }
}

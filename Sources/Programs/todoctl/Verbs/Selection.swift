import ArgumentParser
import Dates
import Terminal
import TodoAPI

/// Which todos a verb changes: their ids, or a filter.
///
/// What a filter means is shown and asked about, unless it is one todo; ids are taken as they are.
struct Selection: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Ids, or a filter as of list: words, +tag, 'due<friday', 11-13.", valueName: "filter"),
        completion: .filter)
    var words: [String]

    @OptionGroup var consent: Consent

    /// How many todos one step changes: each is a record of its batch, or two.
    static let todosMax = 8_000

    /// Those, in the order of the list if a filter names them; `nil` when nothing is to be done.
    ///
    /// - Parameters:
    ///   - which: Those that a filter means which does not say so itself.
    ///   - question: What is asked, of several: `Remove them?`
    ///   - fate: What becomes of them.
    ///   - tellsChange: Whether the verb says itself what would become of each with `--dry-run`, and so is to have them.
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

    /// What the todos are, as far as that is said: who reads JSON is told by the daemon, and a misspelt id is refused by it.
    private func named(_ ids: [Int64], _ session: Session) throws(Failure) -> TodoSentences {
        session.isJSON ? TodoSentences(ids: ids) : TodoSentences(ids: ids, before: try session.known(Set(ids)))
    }

    /// So many are shown each before a question, on a terminal with the line above them, that below them, the question and its answer.
    ///
    /// - Parameter rows: those of the terminal; `nil` where there is none.
    static func shownMax(rows: Int?) -> Int { min(TodoSentences.namedMax, max(1, rows.map { $0 - 4 } ?? .max)) }

    /// Why nothing is meant: nothing matches, or only what is done or open, which is named.
    static func nothing(_ words: [String], _ chosen: TodoFilter, _ session: Session) throws(Failure) -> Failure {
        let waiting = try session.waiting(chosen)
        guard waiting == 0, let other = chosen.which.other, !chosen.filter.isDefinite else {
            return nothing(words, waiting: waiting)
        }
        let count = try session.count(of: TodoFilter(which: other, filter: chosen.filter))
        guard count > 0 else { return nothing(words) }
        let (none, those) = other == .done ? ("No open todo", "done") : ("No todo that is done", "open")
        let what = Visible.text("\(none) matches “\(words.joined(separator: " "))”")
        let rest = "\(Digits.grouped(count)) \(count == 1 ? "is" : "are") \(those)"
        return Failure(.refused, "\(what); \(rest).\n" + Failure.showsTodos)
    }

    /// - Parameter waiting: how many match that wait, which are not meant.
    static func nothing(_ words: [String], waiting: Int = 0) -> Failure {
        let what = Visible.text("No todo matches “\(words.joined(separator: " "))”")
        guard waiting > 0 else { return Failure(.refused, what + ".\n" + Failure.showsTodos) }
        let list = Visible.text(ShellWords.line(["todoctl", "list", "is:waiting"] + words))
        let those = Digits.counted(waiting, "that waits", "that wait")
        return Failure(.refused, "\(what), but for \(those).\nTo see what waits: \(list)")
    }

    private var tooMany: Failure {
        Failure(
            .usage,
            "More than \(Digits.grouped(Self.todosMax)) todos are meant, and one step changes no more. Say a range as well, such as 1-5000."
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
    /// How many match that wait, where a filter leaves those out.
    func waiting(_ filter: TodoFilter) throws(Failure) -> Int {
        filter.leavesOutWaiting ? try count(of: filter.ofWaiting) : 0
    }

    /// How many match.
    fileprivate func count(of filter: TodoFilter) throws(Failure) -> Int {
        try elements(try filter.input(self), Todo.init).0.count
    }
}

extension TodoFilter {
    /// What a filter chooses: of some kind only, unless it says itself if done ones are meant.
    static func chosen(by filter: Filter, _ which: Which) -> TodoFilter {
        TodoFilter(which: filter.isDefinite ? .all : which, filter: filter)
    }

    /// How the daemon is asked for them.
    ///
    /// - Parameter moment: when what waits does so; left out: now.
    func input(
        _ session: Session, at point: Point? = nil, on moment: Moment? = nil
    ) throws(Failure) -> GetStateMethod.Input {
        .init(scope: "todos.items", at: point, where: try condition(at: moment ?? session.now))
    }
}

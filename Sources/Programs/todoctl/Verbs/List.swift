import ArgumentParser
import Chronicle
import Dates
import TodoAPI

struct List: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List todos.",
        discussion: """
            EXAMPLES:
              todoctl list
              todoctl list bank +work 'due<friday'
              todoctl list is:overdue --sort due
              todoctl list '(+home or +garden) priority>1' -phone
              todoctl list @work due:today
              todoctl list --tag home --search milk
              todoctl list --all --json
              todoctl list --limit 10
              todoctl list --sort urgency --limit 5
              todoctl list --at "yesterday 9:00"

            Lists the open todos, or those that match a filter: words in title or note, +tag or #tag (+work also matches
            work.tax), '+"a tag"', -tag, due:today, 'due<friday', due:none, 'priority>1', 'created>yesterday', is:done, is:open,
            is:overdue, is:waiting, is:blocked, is:recurring, after:12, ids (11-13), or, not and ( ), and @work for a saved view
            (todoctl view save). The first line shows the total number of todos, including completed ones. Waiting todos are
            omitted unless --all, ids, is: or wait: include them.
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    @Argument(
        help: ArgumentHelp("A filter: words, +tag, -tag, 'due<friday', is:overdue.", valueName: "filter"),
        completion: .filter)
    var words: [String] = []

    @Option(
        help: ArgumentHelp("Only todos of this saved view, like @NAME in the filter.", valueName: "name"), completion: .views)
    var view: String?

    @Flag(help: "Include completed todos.")
    var all = false

    @Flag(help: "Only completed todos.")
    var done = false

    @Flag(help: "Only overdue todos.")
    var overdue = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Only todos with this tag or one below it; can be repeated.", valueName: "tag"),
        completion: .tags)
    var tag: [String] = []

    @Option(help: ArgumentHelp("Only todos with these words in title, note or tags; can be repeated.", valueName: "words"))
    var search: [String] = []

    @Option(help: "Order: list, due, priority, title, created, id or urgency.")
    var sort: TodoOrder?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Maximum number of todos.", valueName: "count"),
        transform: Numeral.whole(from: 0))
    var limit: Int?

    func validate() throws {
        if all, done { throw ValidationError("--all and --done exclude each other.") }
    }

    /// The words of the filter, preceded by the requested view.
    private func allWords(in view: String?) -> [String] {
        guard let view else { return words }
        return words.isEmpty ? ["@" + view] : ["@" + view, "("] + words + [")"]
    }

    /// The requested view, from the option or, without any selection, from the settings; a failure if the settings name no view.
    private func wantedView(_ session: Session) throws(Failure) -> (name: String?, failure: Failure?) {
        let isPlain = view == nil && words.isEmpty && !all && !done && !overdue && tag.isEmpty && search.isEmpty
        guard isPlain, let name = Settings.user.view else { return (view, nil) }
        let names = try session.savedViews().map(\.name)
        guard !names.contains(where: { $0.hasSameBytes(as: name) }) else { return (name, nil) }
        let missing = SavedView.missing(name, among: names, ", which your settings name")
        return (nil, Failure(.refused, Visible.text(missing + " All open todos are shown.")))
    }

    /// The order of the view, if only a view is requested.
    private func order(ofViewIn words: [String], _ session: Session) throws(Failure) -> TodoOrder? {
        let names = words.compactMap { SavedView.named(by: $0) }
        return try names.count == 1 ? session.savedViews(named: names).first?.sort : nil
    }

    private func filter(_ words: [String], _ session: Session, at moment: Moment) throws(Failure) -> TodoFilter {
        let filter = try session.filter(words, at: moment)
        return TodoFilter(
            which: all ? .all : done ? .done : filter.isDefinite ? .all : .open, isOverdueOnly: overdue, tags: Tags.typed(tag),
            words: search.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }, filter: filter)
    }

    func run(_ session: Session) throws {
        let wanted = try wantedView(session)
        try list(allWords(in: wanted.name), session)
        if let failure = wanted.failure { throw failure }
    }

    private func list(_ words: [String], _ session: Session) throws(Failure) {
        var point = try moment.point(session)
        let named = session.moment(namedBy: point)
        var now = named ?? session.now
        // Todos that waited at that point are omitted.
        let isOfMoment = overdue || !words.isEmpty || !all && !done
        if isOfMoment, named == nil, let asked = point { (point, now) = try record(at: asked, session) }
        let filter = try filter(words, session, at: now)
        let sort = try Settings.user.order(option: sort, view: sort == nil ? order(ofViewIn: words, session) : nil)
        // The daemon knows only the order of the list, so it can't select the first ones of another order.
        let input = GetStateMethod.Input(
            scope: "todos.items", at: point, where: try filter.condition(at: now),
            limit: sort == .list ? limit.map { UInt64($0) } : nil)
        var received: UInt64 = 0
        var shown: [Todo] = []
        var elements: [Int64: Value] = [:]
        var first: StatePage?
        try pages(input, session) { page in
            if first == nil { first = page }
            if named == nil, let time = page.time { now = session.moment(time) }
            received += UInt64(page.todos.count)
            for element in page.todos {
                guard let todo = Todo(element) else { continue }
                shown.append(todo)
                if session.isJSON { elements[todo.id] = element }
            }
        }
        let isBlockingShown = !session.isJSON && shown.contains { !$0.after.isEmpty }
        let blocking = isBlockingShown || sort == .urgency ? try session.blocking(at: point) : Blocking()
        let urgency = Urgency(now: now, zone: session.zone, blocking: blocking, weights: Settings.user.file.weights)
        shown = Array(sort.sorted(shown, by: urgency.points(of:)).prefix(limit ?? .max))
        if session.isJSON, var page = first {
            page.state = ["todos": ["items": .list(shown.compactMap { elements[$0.id] })]]
            return session.output.json(page)
        }
        let count = first?.count ?? received
        let waiting = try session.waiting(at: point)
        session.output.line(session.paint(Self.heading(shown.count, of: count) + waiting, .bold))
        let table = TodoTable(paint: session.paint, now: now, width: session.width, blocking: blocking)
        session.show(table.lines(shown))
        if count > 0, shown.isEmpty, limit != 0, let nothing = nothing(filter, words) { session.output.line(nothing) }
        if !shown.isEmpty { try reportMissing(filter, shown, at: point, session) }
        guard session.isTerminal else { return }
        if count == 0 { session.output.line("Nothing here yet. Add one: todoctl add Buy the milk") }
        let waitingCount = filter.leavesOutWaiting ? try self.count(of: filter.ofWaiting, at: point, now, session) : 0
        showOmitted(waitingCount, "waits", "wait", "is:waiting", session)
        let doneCount = Int64(clamping: count) - Int64(shown.count) - waitingCount
        if filter == TodoFilter(), limit == nil { showOmitted(doneCount, "is done", "are done", "--all", session) }
    }

    /// Reports requested ids that do not exist, if others are listed.
    private func reportMissing(_ filter: TodoFilter, _ shown: [Todo], at point: Point?, _ session: Session) throws(Failure) {
        let missing = Set(filter.filter.ids ?? []).subtracting(shown.map(\.id))
        let known = try session.known(missing, at: point)
        for id in missing.subtracting(known.keys).sorted() {
            Output.complain(point == nil ? "There is no todo \(id)." : "There was no todo \(id) at that moment.")
        }
    }

    /// `2 wait: todoctl list is:waiting`, for omitted todos.
    private func showOmitted(_ count: Int64, _ one: String, _ several: String, _ words: String, _ session: Session) {
        guard count > 0 else { return }
        let some = count == 1 ? "1 \(one)" : "\(count) \(several)"
        session.output.line(session.paint("\(some): todoctl list \(words)", .dim))
    }

    private func count(
        of filter: TodoFilter, at point: Point?, _ now: Moment, _ session: Session
    ) throws(Failure) -> Int64 {
        var count: Int64 = 0
        let input = GetStateMethod.Input(scope: "todos.items", at: point, where: try filter.condition(at: now))
        try session.client.stream(GetStateMethod.self, input) { answer throws(Failure) in
            let page = try answer.output()
            count += Int64(page.todos.count)
            return .more
        }
        return count
    }

    /// `No open todo has #work.`, `No todo matches “is:blocked”.`; `nil` without a filter.
    ///
    /// - Parameter words: the filter as typed.
    private func nothing(_ filter: TodoFilter, _ words: [String]) -> String? {
        let kind = filter.which == .open ? "No open todo" : filter.which == .done ? "No completed todo" : "No todo"
        // The parentheses that `allWords` adds for a view.
        var typed = view == nil ? words : words.filter { !["(", ")"].contains($0) }
        typed += Tags.typed(tag).map { "+" + $0 }
        if overdue { typed.append("is:overdue") }
        typed += search
        guard !typed.isEmpty else { return filter.which == .done ? "No todo is done." : nil }
        // Removes the quotes of tags with spaces.
        let plain = typed.map { $0.replacing("\"", with: "") }
        if plain.count == 1, search.isEmpty, let tags = Tags.named(by: plain[0]).map({ Tags.listed($0) }), tags.count == 1 {
            return "\(kind) has #\(Visible.text(tags[0]))."
        }
        return Visible.text("\(kind) matches “\(typed.joined(separator: " "))”.")
    }

    /// `29 todos`, `1 of 29 todos`.
    static func heading(_ shown: Int, of count: UInt64) -> String {
        let all = Digits.counted(count, "todo")
        return UInt64(shown) == count ? all : "\(Digits.grouped(shown)) of \(all)"
    }

    /// The record of a point and its time, which determines what was overdue then.
    private func record(at point: Point, _ session: Session) throws(Failure) -> (point: Point, time: Moment) {
        let answer = try session.client.call(GetStateMethod.self, .init(scope: "todos.items", at: point, limit: 0))
        return (Point(sequence: answer.sequence), answer.time.map(session.moment) ?? session.now)
    }

    private func pages(
        _ input: GetStateMethod.Input, _ session: Session, _ take: (StatePage) -> Void
    ) throws(Failure) {
        do throws(Failure) {
            try session.pages(input) { page in
                take(page)
                return .more
            }
        } catch {
            // The condition was generated, so the error is not in the user's input.
            guard case .badExpression = error.known else { throw error }
            throw Failure.unexpected("The daemon does not support this filter.")
        }
    }
}

struct WhyFirst: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "why-first",
        abstract: "Show the parts of a todo's urgency.",
        discussion: """
            EXAMPLES:
              todoctl why-first 3
              todoctl list --sort urgency --limit 5

            list --sort urgency sorts by their sum. Each line shows the points of a part, their maximum, and the reason. The
            manual has the table.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The todo's id.", completion: .todos)
    var id: Int64

    func run(_ session: Session) throws {
        let todo = try session.todo(id).todo
        let urgency = Urgency(
            now: session.now, zone: session.zone, blocking: try session.blocking(), weights: Settings.user.file.weights)
        guard session.isJSON else {
            session.output.line(session.paint("\(todo.id): \(Visible.text(todo.title))", .bold))
            return session.show(urgency.lines(todo, width: session.width))
        }
        let parts = Urgency.Part.allCases.map { part -> Value in
            [
                "name": .text(part.rawValue), "hundredths": .int(Int64(urgency.points(of: todo, for: part))),
                "weight": .int(Int64(urgency.weight(of: part))),
            ]
        }
        let sum = Value.int(Int64(urgency.points(of: todo)))
        session.output.json(["id": .int(todo.id), "hundredths": sum, "parts": .list(parts)] as Value)
    }
}

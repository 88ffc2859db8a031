import Chronicle
import TodoAPI
import Varlink

extension Session {
    func show(_ lines: [String]) {
        for line in lines { output.line(line) }
    }

    func show<M: Method>(
        _ method: M.Type, _ input: M.Input, _ lines: (M.Output) throws(Failure) -> [String]
    ) throws(Failure) {
        try show(client.ask(method, input), lines)
    }

    func show<M: Method>(_ answer: Answer<M>, _ lines: (M.Output) throws(Failure) -> [String]) throws(Failure) {
        if isJSON { output.json(answer.members) } else { show(try lines(answer.output())) }
    }

    /// Makes a long call, shows its progress on a terminal, and returns all other replies.
    ///
    /// - Parameter progress: the reached record and the last one, if the reply is only progress.
    func research<M: Method>(
        _ method: M.Type, _ input: M.Input, progress: (M.Output) -> (reached: UInt64, last: UInt64?)? = { _ in nil }
    ) throws(Failure) -> [Answer<M>] {
        var shown = Progress()
        defer { shown.clear() }
        var answers: [Answer<M>] = []
        try client.stream(method, input) { answer throws(Failure) in
            if let (reached, last) = progress(try answer.output()) {
                shown.show(record: reached, of: last)
            } else {
                answers.append(answer)
            }
            return .more
        }
        return answers
    }

    func scan(_ input: ScanMethod.Input) throws(Failure) -> Answer<ScanMethod> {
        let answers = try research(ScanMethod.self, input) { answer in
            answer.outcome == nil && answer.violations == nil ? answer.reached.map { ($0, nil) } : nil
        }
        guard let last = answers.last else { throw Failure.unexpected("The daemon did not answer.") }
        return last
    }

    /// Whether an export must include a base, so that it can be restored into an empty log; `nil` if the log has none.
    func baseForExport() throws(Failure) -> Bool? {
        try client.call(StatusMethod.self, NoFields()).base == nil ? nil : true
    }

    func record(
        _ sequence: UInt64, changes: Bool? = nil
    ) throws(Failure) -> (record: RecordMessage, detail: LogDetailMessage?)? {
        let point = Point(sequence: sequence)
        let page = try research(LogMethod.self, .init(from: point, to: point, changes: changes)).first?.output()
        return page?.records.first.map { ($0, page?.details?.first) }
    }

    /// All pages of a scope, at or after a sequence number.
    func whole(_ scope: String?, atLeast minimum: UInt64? = nil, at point: Point? = nil) throws(Failure) -> StatePage {
        let input = GetStateMethod.Input(scope: scope, minimumSequence: minimum, at: point)
        return try whole(GetStateMethod.self, input) { $0.state.append(page: $1.state) }
    }

    private func whole<M: Method>(
        _ method: M.Type, _ input: M.Input, _ append: (inout M.Output, M.Output) -> Void
    ) throws(Failure) -> M.Output {
        var whole: M.Output?
        // After a restart the daemon may return another state, so all pages are requested again.
        let again = {
            whole = nil
            return input
        }
        try client.follow(method, again) { answer throws(Failure) in
            let page = try answer.output()
            // Moved out, so that appending does not copy the existing elements.
            if var pages = whole.take() {
                append(&pages, page)
                whole = pages
            } else {
                whole = page
            }
            return .more
        }
        guard let whole else { throw Failure.unexpected("The daemon sent nothing.") }
        return whole
    }

    /// Reads a scope, or selected elements of a list in it, page by page.
    func pages(_ input: GetStateMethod.Input, _ take: (StatePage) throws(Failure) -> Demand) throws(Failure) {
        var isTold = false
        try client.stream(GetStateMethod.self, input) { answer throws(Failure) in
            let page = try answer.output()
            if !isTold { tellMoment(page.sequence, page.time, folded: page.folded) }
            isTold = true
            return try take(page)
        }
    }

    /// The selected elements of a list, each converted by `read`, and the first page.
    ///
    /// If the daemon restarts, all of them are read again.
    func elements<Element>(
        _ input: GetStateMethod.Input, _ read: (Value) -> Element?
    ) throws(Failure) -> (elements: [Element], page: StatePage) {
        var elements: [Element] = []
        var first: StatePage?
        let again = {
            (elements, first) = ([], nil)
            return input
        }
        try client.follow(GetStateMethod.self, again) { answer throws(Failure) in
            let page = try answer.output()
            if first == nil { first = page }
            elements += page.todos.compactMap(read)
            return .more
        }
        guard let first else { throw Failure.unexpected("The daemon sent no todos.") }
        return (elements, first)
    }

    /// `, 1 alert and 2 questions wait`, or empty.
    func waiting(at point: Point? = nil) throws(Failure) -> String {
        var counts: [String] = []
        func note(_ count: Int, _ noun: String) {
            if count > 0 { counts.append(Digits.counted(count, noun)) }
        }
        // The list itself prints which moment is shown.
        let alerts = try client.call(GetStateMethod.self, .init(scope: "alerts.items", at: point, limit: 0))
        note(Int(clamping: alerts.count ?? 0), "alert")
        let flows = try client.call(ViewMethod.self, .init(feature: "flows", at: point)).view["rows"]?.list ?? []
        note(flows.count { $0["waits"]?.bool != true }, "question")
        let verb = counts.count == 1 && counts[0].hasPrefix("1 ") ? "waits" : "wait"
        return counts.isEmpty ? "" : ", \(counts.joined(separator: " and ")) \(verb)"
    }

    func todo(_ id: Int64, at point: Point? = nil) throws(Failure) -> (todo: Todo, page: StatePage) {
        var found: (Todo, StatePage)?
        do throws(Failure) {
            try pages(.init(scope: "todos.items", at: point, id: id)) { page throws(Failure) in
                if let todo = page.todos.first.flatMap(Todo.init) { found = (todo, page) }
                return .more
            }
        } catch {
            guard error.isUnknownID else { throw error }
            var failure = error
            failure.message =
                point == nil
                ? Self.noTodo(id)
                : "There was no todo \(id) at that moment.\nTo see what there was: todoctl list --all --at POINT"
            throw failure
        }
        guard let found else { throw Failure.unexpected("The daemon sent no todo.") }
        return found
    }

    /// `Added 4: Water the plants`, for todos whose titles the daemon chose.
    func added(_ ids: [some BinaryInteger]) -> [String] {
        let ids = ids.map { Int64(clamping: $0) }
        // The todos were added even if their titles can't be read.
        let titles = (try? client.titles(of: ids)) ?? [:]
        return ids.map { id in "Added \(id)" + (titles[id].map { ": " + Visible.text($0) } ?? ".") }
    }

    /// The lines for the next occurrences of completed recurring todos.
    func next(_ ids: [some BinaryInteger]) -> [String] {
        guard !ids.isEmpty else { return [] }
        guard ids.count <= TodoSentences.namedMax, let found = try? todos(ids.map { Int64(clamping: $0) }) else {
            return ["Next: \(Digits.counted(ids.count, "todo"))."]
        }
        return TodoSentences.next(found.todos)
    }

    func todos(_ ids: [Int64]) throws(Failure) -> (todos: [Todo], page: StatePage) {
        guard let least = ids.min(), let most = ids.max(), least < most else {
            let found = try todo(ids.first ?? 0)
            return ([found.todo], found.page)
        }
        let condition = FilterTerm.clause([least...most]).text
        let (between, first) = try elements(.init(scope: "todos.items", where: condition), Todo.init)
        let found = Dictionary(between.map { ($0.id, $0) }) { first, _ in first }
        var todos: [Todo] = []
        for id in ids {
            // Same error as for a single todo.
            guard let todo = found[id] else { throw Failure(.refused, Self.noTodo(id)) }
            todos.append(todo)
        }
        return (todos, first)
    }

    private static func noTodo(_ id: Int64) -> String { "There is no todo \(id).\n" + Failure.showsTodos }

    func show(_ scope: String?, at point: Point? = nil, _ lines: (Value) -> [String]) throws(Failure) {
        show(try whole(scope, at: point), lines)
    }

    func show(_ page: StatePage, _ lines: (Value) -> [String]) {
        if isJSON { return output.json(page) }
        tellMoment(page.sequence, page.time, folded: page.folded)
        show(lines(page.state))
    }

    func view(_ feature: String, at point: Point? = nil, _ lines: (Value) -> [String]) throws(Failure) {
        let shown = try whole(ViewMethod.self, .init(feature: feature, at: point)) { $0.view.append(page: $1.view) }
        if isJSON { return output.json(shown) }
        tellMoment(shown.sequence, shown.time, folded: shown.folded)
        show(lines(shown.view))
    }
}

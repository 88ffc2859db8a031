import ArgumentParser
import Chronicle
import Dates
import Glibc
import TodoAPI

struct Show: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all fields of todos.",
        discussion: """
            EXAMPLES:
              todoctl show 3
              todoctl show 3 --at -5
              todoctl show 3 --history
              todoctl show +work due:today

            --history also shows what was done with them, as in log; for ids also of removed todos.
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    @Argument(help: ArgumentHelp("Ids, or a filter as in list.", valueName: "filter"), completion: .filter)
    var words: [String]

    @Flag(help: "Show what was done with them.")
    var history = false

    func run(_ session: Session) throws {
        let point = try moment.point(session)
        let named = session.moment(namedBy: point)
        let filter = try session.filter(words, at: named)
        if let ids = filter.ids {
            for id in ids {
                let shown = try find(id, at: point, session)
                if id != ids.first, !session.isJSON { session.output.line("") }
                if session.isJSON {
                    if let page = shown?.page { session.output.json(page) }
                } else if let todo = shown?.todo {
                    try show(todo, at: point, session)
                } else {
                    session.output.line(session.paint("\(id): removed", .bold))
                }
                if history { try session.showHistory(of: id, at: point) }
            }
            return
        }
        var (todos, isNone) = ([Todo](), true)
        let chosen = TodoFilter.chosen(by: filter, .open)
        let input = try chosen.input(session, at: point, on: named)
        try session.pages(input) { page throws(Failure) in
            if session.isJSON { session.output.json(page) }
            if !session.isJSON || history { todos += page.todos.compactMap(Todo.init) }
            isNone = isNone && page.todos.isEmpty
            return .more
        }
        if isNone { throw point == nil ? try Selection.nothing(words, chosen, session) : Selection.nothing(words) }
        for (index, todo) in todos.enumerated() {
            if !session.isJSON {
                if index > 0 { session.output.line("") }
                try show(todo, at: point, session)
            }
            if history { try session.showHistory(of: todo.id, at: point) }
        }
    }

    /// A todo; `nil` for a removed one with a history, if that is requested.
    private func find(_ id: Int64, at point: Point?, _ session: Session) throws(Failure) -> (todo: Todo, page: StatePage)? {
        do throws(Failure) { return try session.todo(id, at: point) } catch {
            guard history, error.isUnknownID, try session.hasHistory(of: id, at: point) else { throw error }
            return nil
        }
    }

    private func show(_ todo: Todo, at point: Point?, _ session: Session) throws(Failure) {
        let before = try session.known(Set(todo.after), at: point)
        session.show(TodoCard.lines(todo, before: before, zone: session.zone, paint: session.paint))
    }
}

extension Session {
    /// Whether a record ever changed a todo.
    fileprivate func hasHistory(of id: Int64, at point: Point?) throws(Failure) -> Bool {
        var isFound = false
        try client.stream(LogMethod.self, historyInput(of: id, at: point, limit: 1)) { answer throws(Failure) in
            if try !answer.output().records.isEmpty { isFound = true }
            return .more
        }
        return isFound
    }

    /// Shows what was done with a todo, oldest first, as JSON or as sentences of the log.
    fileprivate func showHistory(of id: Int64, at point: Point?) throws(Failure) {
        var entries: [LogSentences.Entry] = []
        var isWhole = false
        var progress = Progress()
        defer { progress.clear() }
        try client.stream(LogMethod.self, historyInput(of: id, at: point)) { answer throws(Failure) in
            let page = try answer.output()
            if let reached = page.reached { progress.show(record: reached) }
            if isJSON {
                output.json(answer.members)
            } else {
                if entries.isEmpty, let first = page.entries.first {
                    isWhole = first.detail?.begins(id, by: first.record) == true
                }
                entries += page.entries.map { LogSentences.Entry($0.record, $0.detail) }
            }
            return .more
        }
        progress.clear()
        guard !isJSON else { return }
        var lines = isWhole ? [] : [try compactionNotice()].compactMap(\.self)
        if let first = entries.map(\.step).min() {
            var sentences = LogSentences(zone: zone, paint: paint, uid: getuid())
            sentences.undone = try undoneSteps(since: first)
            lines += sentences.lines(entries)
        }
        if !lines.isEmpty { show([""] + lines) }
    }

    private func historyInput(of id: Int64, at point: Point?, limit: UInt64? = nil) -> LogMethod.Input {
        LogMethod.Input(to: point, limit: limit, changes: true, path: "todos.items[\(id)]")
    }
}

extension LogDetailMessage {
    /// Whether a record created the todo, as opposed to putting it back.
    fileprivate func begins(_ id: Int64, by record: RecordMessage) -> Bool {
        if let action = record.action, RecordLines.path(action) == ["todos", "putBack"] { return false }
        return changes?.contains { $0.path == "todos.items" && $0.id == id && $0.kind == .insert } == true
    }
}

import ArgumentParser
import Dates
import TodoAPI

struct Agenda: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "agenda", abstract: "Show overdue todos, and those due today and in the next days.",
        examples: "todoctl agenda", "todoctl agenda +work", "todoctl agenda --days 30")

    /// Ten years.
    private static let daysMax = 3_653

    @OptionGroup var options: Options

    @Argument(help: ArgumentHelp("A filter as in list.", valueName: "filter"), completion: .filter)
    var words: [String] = []

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Number of days after today (default: 7).", valueName: "number"),
        transform: Numeral.whole(in: 0...Agenda.daysMax))
    var days = 7

    func run(_ session: Session) throws {
        let now = session.now
        let last = now.day.adding(days: days)
        let within = ["due<=\(last.text)"]
        let filter = try session.filter(words.isEmpty ? within : ["("] + words + [")"] + within)
        var todos: [Todo] = []
        try session.pages(TodoFilter(which: .open, filter: filter).input(session)) { page throws(Failure) in
            if session.isJSON { session.output.json(page) } else { todos += page.todos.compactMap(Todo.init) }
            return .more
        }
        if session.isJSON { return }
        let sections = Self.sections(TodoOrder.due.sorted(todos), at: now)
        let blocking = todos.contains { !$0.after.isEmpty } ? try session.blocking() : Blocking()
        let table = TodoTable(paint: session.paint, now: now, width: session.width, blocking: blocking)
        let which = words.isEmpty ? "" : Visible.text(" that matches “\(words.joined(separator: " "))”")
        if sections.isEmpty { session.output.line("Nothing\(which) is due by \(last.long).") }
        for (index, section) in sections.enumerated() {
            if index > 0 { session.output.line("") }
            session.output.line(session.paint(section.heading, .bold))
            session.show(table.lines(section.todos))
        }
    }

    /// Todos with a due date, sorted by it, grouped by day.
    static func sections(_ todos: [Todo], at now: Moment) -> [(heading: String, todos: [Todo])] {
        var sections: [(heading: String, todos: [Todo])] = []
        for todo in todos {
            guard let due = todo.due else { continue }
            let heading =
                due.isOver(at: now)
                ? "Overdue"
                : due.day == now.day ? "Today" : due.day == now.day.adding(days: 1) ? "Tomorrow" : due.day.long
            if sections.last?.heading == heading {
                sections[sections.count - 1].todos.append(todo)
            } else {
                sections.append((heading, [todo]))
            }
        }
        return sections
    }
}

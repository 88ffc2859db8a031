import ArgumentParser
import Varlink

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the todos that are open.",
        discussion: """
            EXAMPLES:
              todoctl list
              todoctl list --overdue --sort due
              todoctl list --tag home --search milk
              todoctl list --all --json
              todoctl list --at "yesterday 9:00"

            The first line says how many todos there are in all, done ones included.
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    @Flag(help: "Done ones, too.")
    var all = false

    @Flag(help: "Only those that are done.")
    var done = false

    @Flag(help: "Only those that are overdue.")
    var overdue = false

    @Option(help: ArgumentHelp("Only those with this tag; can be given several times.", valueName: "tag"))
    var tag: [String] = []

    @Option(help: ArgumentHelp("Only those with these words in title, note or tags.", valueName: "words"))
    var search: [String] = []

    @Option(help: "list (the order of the list), due, priority, title, created or id.")
    var sort = TodoOrder.list

    func validate() throws {
        if all, done { throw ValidationError("--all and --done exclude each other.") }
    }

    var filter: TodoFilter {
        TodoFilter(
            which: all ? .all : done ? .done : .open, isOverdueOnly: overdue, tags: tag,
            words: search.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) })
    }

    func run() throws {
        try options.session { session in
            let filter = filter
            var now = session.now
            let point = try moment.point(session)
            var count = 0
            var shown: [Todo] = []
            var elements: [Int64: JSON] = [:]
            var first: StatePage?
            try session.pages("todos.items", at: point) { page throws(Failure) in
                if first == nil { first = page }
                // What was overdue then.
                if let time = page.time { now = session.moment(time) }
                for json in page.todos {
                    count += 1
                    guard let todo = Todo(json), filter.holds(todo, at: now) else { continue }
                    shown.append(todo)
                    if session.isJSON { elements[todo.id] = json }
                }
                return .more
            }
            shown = sort.sorted(shown)
            if session.isJSON, var page = first {
                page.state = ["todos": ["items": .array(shown.compactMap { elements[$0.id] })]]
                return session.output.json(page.members)
            }
            session.output.line(session.paint("TODO - (\(count))", .bold))
            for line in TodoTable(paint: session.paint, now: now).lines(shown) { session.output.line(line) }
            if count == 0, session.isTerminal { session.output.line("Nothing here yet. Add one: todoctl add Buy the milk") }
        }
    }
}

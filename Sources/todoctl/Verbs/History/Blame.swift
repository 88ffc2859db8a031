import ArgumentParser
import TodoAPI
import Varlink

struct Blame: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show which action last set a value.",
        discussion: """
            EXAMPLES:
              todoctl blame counter.count
              todoctl blame 'todos.items[12].title' --history
              todoctl blame 'todos.items[@0].priority' --at yesterday
              todoctl blame --all todos.items

            [12] is the todo of that id, [@0] the one that stands first at that moment. With --all: each value at the place and below it.
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    @Argument(help: "A place in the state: counter.count, todos.items[12].title.")
    var path: String

    @Flag(help: "All actions that set it, oldest first; the newest 1,000.")
    var history = false

    @Flag(help: "Each value at the place and below it, with the action that set it.")
    var all = false

    func validate() throws {
        if history, all { throw ValidationError("--history and --all exclude each other.") }
    }

    func run() throws {
        try options.session { session in
            let input = BlameMethod.Input(
                path: path, at: try moment.point(session), history: history ? true : nil, all: all ? true : nil)
            let answers = try session.research(BlameMethod.self, input) { $0["reached"] != nil }
            let table = RecordLines(zone: session.zone, paint: session.paint)
            var isEmpty = true
            for answer in answers {
                if session.isJSON {
                    session.output.json(answer)
                    continue
                }
                var records: [Int64: JSON] = [:]
                for record in answer["records"]?.array ?? [] { records[record["sequence"]?.int ?? 0] = record }
                for origin in answer["origins"]?.array ?? [] {
                    isEmpty = false
                    let record = records[origin["sequence"]?.int ?? 0] ?? [:]
                    if all {
                        session.output.line("\(Blame.value(origin))  \(session.paint(table.line(record), .dim))")
                    } else {
                        session.show([table.line(record), "    " + Blame.change(origin)])
                    }
                }
            }
            guard !session.isJSON else { return }
            if answers.last?["cut"]?.bool == true {
                session.output.line("There are older ones: --at looks at an earlier moment.")
            }
            if let base = answers.last?["base"]?.int, let archive = answers.last?["archive"]?.string {
                let file = Visible.text(archive)
                session.output.line("What was set up to record \(base) is in \(file), or in an archive before it.")
            } else if isEmpty {
                session.output.line("No action has set it: it is as everything began.")
            }
        }
    }

    /// `counter.count: 1`.
    private static func value(_ origin: JSON) -> String {
        let place = Visible.text(origin["path"]?.string ?? "")
        return place + ": " + value(origin, "new")
    }

    /// `counter.count: 0 → 1`.
    private static func change(_ origin: JSON) -> String {
        let place = Visible.text(origin["path"]?.string ?? "")
        // Of a whole list or feature neither value is told.
        if origin["old"] == nil, origin["new"] == nil { return "\(place) changed" }
        return "\(place): \(value(origin, "old")) → \(value(origin, "new"))"
    }

    private static func value(_ origin: JSON, _ side: String) -> String {
        let name = origin["path"]?.string?.split(separator: ".").last.map(String.init)
        return origin[side]?["value"].map { Outline.compact($0, of: name) } ?? "none"
    }
}

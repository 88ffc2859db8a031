import ArgumentParser
import Chronicle
import Dates
import Glibc
import TodoAPI

struct Blame: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "blame",
        abstract: "Show which action last set a value.",
        discussion: """
            EXAMPLES:
              todoctl blame counter.count
              todoctl blame 'todos.items[12].title' --history
              todoctl blame 'todos.items[@0].priority' --at yesterday
              todoctl blame --all todos.items

            [12] is the todo with that id, [@0] the first todo at that point. --all shows each value at or below the place.
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    @Argument(help: "A place in the state: counter.count, todos.items[12].title.")
    var path: String

    @Flag(help: "All actions that set it, oldest first (at most the newest 1,000).")
    var history = false

    @Flag(help: "Each value at or below the place, with the action that set it.")
    var all = false

    func validate() throws {
        if history, all { throw ValidationError("--history and --all exclude each other.") }
    }

    func run(_ session: Session) throws {
        let input = BlameMethod.Input(
            path: path, at: try moment.point(session), history: history ? true : nil, all: all ? true : nil)
        let answers = try session.research(BlameMethod.self, input) { reply in reply.reached.map { ($0, nil) } }
        if session.isJSON { return answers.forEach { session.output.json($0.members) } }
        var isEmpty = true
        for answer in answers {
            let reply = try answer.output()
            let titles = (try? session.client.titles(of: RecordSentence.named(by: reply.records))) ?? [:]
            let records = Dictionary(reply.records.map { ($0.sequence, $0) }) { $1 }
            for origin in reply.origins {
                isEmpty = false
                guard let record = records[origin.sequence] else { continue }
                if all {
                    session.output.line("\(Blame.value(origin))  \(session.paint(line(record, titles, session), .dim))")
                } else {
                    session.show([line(record, titles, session), "    " + Blame.change(origin)])
                }
            }
        }
        let last = try answers.last?.output()
        if last?.cut == true { session.output.line("There are older ones: use --at with an earlier point.") }
        if let base = last?.base {
            session.output.line(
                last?.archive.map {
                    "Values up to record \(base) are in \(Visible.text($0)), or in an earlier archive."
                }
                    ?? "The log begins after record \(base), so earlier values have no known origin.")
        } else if isEmpty {
            session.output.line("Never changed since the log began.")
        }
    }

    /// `57  2026-11-22 14:30:05  you  changed 3: Buy oat milk`.
    private func line(_ record: RecordMessage, _ titles: [Int64: String], _ session: Session) -> String {
        let time = session.zone.moment(at: record.time / 1_000_000).text
        let who = LogSentences.who(record.origin, getuid())
        return "\(record.sequence)  \(time)  \(who)  \(RecordSentence(record, titles: titles).text)"
    }

    /// `counter.count: 1`.
    private static func value(_ origin: OriginMessage) -> String {
        "\(Visible.text(origin.path)): \(value(origin.new, of: origin))"
    }

    /// `counter.count: 0 → 1`.
    private static func change(_ origin: OriginMessage) -> String {
        let place = Visible.text(origin.path)
        // Changes of a whole list or feature contain no values.
        if origin.old == nil, origin.new == nil { return "\(place) changed" }
        return "\(place): \(value(origin.old, of: origin)) → \(value(origin.new, of: origin))"
    }

    private static func value(_ side: Value?, of origin: OriginMessage) -> String {
        guard let value = side?["value"] else { return "none" }
        let isPriority = origin.path.hasSuffix(".priority")
        return isPriority ? Priority(level: Int(clamping: value.int ?? 0)).name : Tree.compact(value, of: origin.path)
    }
}

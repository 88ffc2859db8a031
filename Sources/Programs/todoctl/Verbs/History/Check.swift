import ArgumentParser
import TodoAPI

struct Check: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether a condition always held.",
        discussion: """
            EXAMPLES:
              todoctl check --where 'counter.count >= 0'
              todoctl check --where 'count(todos.items) <= 100' --from yesterday
              todoctl check --where 'all(todo in todos.items: todo.title != "")' --all

            Shows the first point at which it did not hold, or with --all all of them. The exit status is 1 if there is one.
            """)

    @OptionGroup var options: Options

    @Option(name: .customLong("where"), help: ArgumentHelp("The condition.", valueName: "expression"))
    var expression: String

    @OptionGroup var moments: MomentRange

    @Flag(help: "Show all points at which it did not hold.")
    var all = false

    func run(_ session: Session) throws {
        let range = try moments.points(session)
        let last = try session.scan(
            .init(
                question: .violations, expression: expression, from: range.first, to: range.last, all: all ? true : nil))
        let answer = try last.output()
        if session.isJSON { session.output.json(last.members) }
        let spans = answer.violations ?? []
        let (from, to) = (answer.from ?? 0, answer.to ?? 0)
        guard let first = spans.first?.from else {
            if !session.isJSON { session.output.line("The condition holds from record \(from) to \(to).") }
            return
        }
        if !session.isJSON, all {
            session.show(
                spans.map { $0.from == $0.to ? "not after record \($0.from)" : "not from record \($0.from) to \($0.to)" })
            if answer.cut == true { session.output.line("… and more") }
        }
        if !session.isJSON, first > 0, let found = try session.record(first) {
            session.output.line(RecordLines(zone: session.zone).line(found.record))
        }
        throw Failure(
            .refused, "The condition is false \(first == 0 ? "before the first record" : "after record \(first)").")
    }
}

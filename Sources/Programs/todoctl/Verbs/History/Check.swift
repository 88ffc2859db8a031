import ArgumentParser
import TodoAPI

struct Check: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether a condition held at all times.",
        discussion: """
            EXAMPLES:
              todoctl check --where 'counter.count >= 0'
              todoctl check --where 'count(todos.items) <= 100' --from yesterday
              todoctl check --where 'all(todo in todos.items: todo.title != "")' --all

            Shows the first moment at which it did not, or with --all all of them. Exit status 1 if there is one.
            """)

    @OptionGroup var options: Options

    @Option(name: .customLong("where"), help: ArgumentHelp("The condition.", valueName: "expression"))
    var expression: String

    @OptionGroup var moments: MomentRange

    @Flag(help: "All moments at which it did not hold.")
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
            if !session.isJSON { session.output.line("It holds from record \(from) to \(to).") }
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
            .refused, first == 0 ? "It does not hold before the first record." : "It does not hold after record \(first).")
    }
}

import ArgumentParser
import TodoAPI
import Varlink

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
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

    @Option(parsing: .unconditional, help: ArgumentHelp("The first moment; the start, if left out.", valueName: "point"))
    var from: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The last moment; now, if left out.", valueName: "point"))
    var to: String?

    @Flag(help: "All moments at which it did not hold.")
    var all = false

    func run() throws {
        try options.session { session in
            let input = CheckMethod.Input(
                expression: expression, from: try from.map { text throws(Failure) in try session.point(text, edge: .beginning) },
                to: try to.map { text throws(Failure) in try session.point(text, edge: .end) }, all: all ? true : nil)
            let answers = try session.research(CheckMethod.self, input) { $0["violations"] == nil }
            guard let answer = answers.last else { throw Failure.unexpected("The daemon did not answer.") }
            if session.isJSON { session.output.json(answer) }
            let spans = (answer["violations"]?.array ?? []).map { ($0["from"]?.int ?? 0, $0["to"]?.int ?? 0) }
            let (from, to) = (answer["from"]?.int ?? 0, answer["to"]?.int ?? 0)
            guard let first = spans.first?.0 else {
                if !session.isJSON { session.output.line("It holds from record \(from) to \(to).") }
                return
            }
            if !session.isJSON, all {
                for (from, to) in spans {
                    session.output.line(from == to ? "not after record \(from)" : "not from record \(from) to \(to)")
                }
                if answer["cut"]?.bool == true { session.output.line("… and more") }
            }
            if !session.isJSON, first > 0, let record = try session.record(first) {
                session.output.line(RecordLines(zone: session.zone).line(record))
            }
            throw Failure(
                .refused, first == 0 ? "It does not hold before the first record." : "It does not hold after record \(first).")
        }
    }
}

import ArgumentParser
import Chronicle
import TodoAPI

struct Diff: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show the differences between two points.",
        discussion: """
            EXAMPLES:
              todoctl diff yesterday
              todoctl diff 12 34
              todoctl diff @-10 now todos.items
              todoctl diff start release-1 'todos.items[12].title'
              todoctl diff 12 34 --json

            + is new, - is removed, other lines show both values. With --json, a JSON patch (RFC 6902).
            """)

    @OptionGroup var options: Options

    @Argument(help: "The first point.", completion: .moments)
    var from: String

    @Argument(help: "The second point (default: now).", completion: .moments)
    var to = "now"

    @Argument(help: "A place in the state: todos, todos.items[12].title (default: everything).")
    var path: String?

    // Computing positions compares each change with all others, so it is limited to this number.
    private static let placedMax = 4_096

    func run(_ session: Session) throws {
        let (from, to) = (try session.point(from, edge: .moment), try session.point(to, edge: .moment))
        let input = DiffMethod.Input(from: from, to: to, path: path, patch: session.isJSON ? true : nil)
        var answers: [DiffMethod.Output] = []
        for answer in try session.research(DiffMethod.self, input) { answers.append(try answer.output()) }
        if session.isJSON { return session.output.json(.list(answers.flatMap { $0.patch ?? [] })) }
        let changes = answers.flatMap { $0.changes ?? [] }
        if let first = answers.first { Output.complain("from record \(first.from) to record \(first.to)") }
        // The next id is not a relevant difference, unless its path was requested.
        let shown = path == nil ? changes.filter { !ChangeSentence.isNumbering($0) } : changes
        if shown.isEmpty {
            session.output.line(changes.isEmpty ? "No difference." : "No difference except the next ids.")
        }
        let paint = session.paint
        let placed = shown.indices.map { index in
            // Moves include positions, if these can be computed quickly.
            let change = shown.count <= Self.placedMax ? PathDiff.netMove(index, of: shown) : shown[index]
            let sentence = ChangeSentence.of(change, isUndo: false, paint: paint) ?? ChangeLines.line(change, paint: paint)
            return (changes: [change], sentence: sentence)
        }
        session.show(ChangeSummary.inOrder(placed).map(\.sentence))
    }
}

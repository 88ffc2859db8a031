import ArgumentParser
import Chronicle
import TodoAPI

struct Diff: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show what differs between two moments.",
        discussion: """
            EXAMPLES:
              todoctl diff yesterday
              todoctl diff 12 34
              todoctl diff @-10 now todos.items
              todoctl diff start release-1 'todos.items[12].title'
              todoctl diff 12 34 --json

            + is new, - is gone; of what else differs it says how. With --json it is a JSON patch (RFC 6902), which makes the one state
            of the other.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The moment compared with.", completion: .moments)
    var from: String

    @Argument(help: "The other moment; now, if left out.", completion: .moments)
    var to = "now"

    @Argument(help: "A place in the state: todos, todos.items[12].title. Left out: everything.")
    var path: String?

    // Of so many changes the places are worked out, each beside all others.
    private static let placedMax = 4_096

    func run(_ session: Session) throws {
        let (from, to) = (try session.point(from, edge: .moment), try session.point(to, edge: .moment))
        let input = DiffMethod.Input(from: from, to: to, path: path, patch: session.isJSON ? true : nil)
        var answers: [DiffMethod.Output] = []
        for answer in try session.research(DiffMethod.self, input) { answers.append(try answer.output()) }
        if session.isJSON { return session.output.json(.list(answers.flatMap { $0.patch ?? [] })) }
        let changes = answers.flatMap { $0.changes ?? [] }
        if let first = answers.first { Output.complain("from record \(first.from) to record \(first.to)") }
        // Which id comes next is no difference that anybody looks for, unless by its place.
        let shown = path == nil ? changes.filter { !ChangeSentence.isNumbering($0) } : changes
        if shown.isEmpty {
            session.output.line(changes.isEmpty ? "No difference." : "No difference but in which ids come next.")
        }
        let paint = session.paint
        let told = shown.indices.map { index in
            // What moved is told with the places where it stands, as far as that can be worked out soon.
            let change = shown.count <= Self.placedMax ? PathDiff.told(index, of: shown) : shown[index]
            let sentence = ChangeSentence.of(change, isUndo: false, paint: paint) ?? ChangeLines.line(change, paint: paint)
            return (changes: [change], sentence: sentence)
        }
        session.show(ChangeSummary.inOrder(told).map(\.sentence))
    }
}

import ArgumentParser
import TodoAPI

struct Move: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move a todo to another place in the list.",
        discussion: """
            EXAMPLES:
              todoctl move 3 --top
              todoctl move 3 --bottom
              todoctl move 3 --to 5
            """)

    @OptionGroup var options: Options

    @Argument(help: "The todo's id.")
    var id: Int64

    @Flag(help: "To the top.")
    var top = false

    @Flag(help: "To the bottom.")
    var bottom = false

    @Option(help: ArgumentHelp("To this place, counted from 1 at the top.", valueName: "place"))
    var to: Int?

    func validate() throws {
        guard [top, bottom, to != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Where to? Give one of --top, --bottom, --to PLACE.")
        }
        if let to, to < 1 { throw ValidationError("Places are counted from 1.") }
    }

    func run() throws {
        try options.session { session in
            var place = to.map { $0 - 1 } ?? 0
            if bottom {
                try session.pages(.init(scope: "todos.items", limit: 0)) { page throws(Failure) in
                    place = max(Int(clamping: page.count ?? 0) - 1, 0)
                    return .more
                }
            }
            try session.change([TodoAction.move(id, to: place)]) { answer in
                [answer.sequences.isEmpty ? "\(id) stood there already." : "Moved \(id)."]
            }
        }
    }
}

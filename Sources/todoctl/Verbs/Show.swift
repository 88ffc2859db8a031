import ArgumentParser
import TodoAPI
import Varlink

struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show all that is known of a todo.",
        discussion: """
            EXAMPLES:
              todoctl show 3
              todoctl show 3 --at -5
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    @Argument(help: "The todo's id.")
    var id: Int64

    func run() throws {
        try options.session { session in
            let (todo, page) = try session.todo(id, at: try moment.point(session))
            if session.isJSON { return session.output.json(page.members) }
            for line in TodoCard.lines(todo, zone: session.zone, paint: session.paint) { session.output.line(line) }
        }
    }
}

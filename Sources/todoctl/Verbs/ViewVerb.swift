import ArgumentParser
import TodoAPI
import Varlink

struct ViewVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view", abstract: "Show what a feature shows of its state.",
        discussion: """
            EXAMPLES:
              todoctl view todos
              todoctl view counter --json
              todoctl view todos --at 1234
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    @Argument(help: "The feature.")
    var feature = "todos"

    func run() throws {
        try options.session { session in
            try session.view(feature, at: moment.point(session)) { Outline.lines($0) }
        }
    }
}

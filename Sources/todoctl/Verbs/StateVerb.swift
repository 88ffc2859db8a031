import ArgumentParser
import TodoAPI
import Varlink

struct StateVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Show the state, or one scope of it.",
        discussion: """
            EXAMPLES:
              todoctl state
              todoctl state counter
              todoctl state todos.items --json
              todoctl state --at "10 minutes ago"
              todoctl state --json > state.json; todod --ephemeral --state state.json
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    @Argument(help: "A feature or one field of its state: todos, todos.items. Left out: everything.")
    var scope: String?

    func run() throws {
        try options.session { session in
            let whole = try session.whole(scope.map(FeatureAction.scope), at: moment.point(session))
            if session.isJSON { return session.output.json(whole.members) }
            session.tellMoment(whole.members)
            for line in Outline.lines(whole.state) { session.output.line(line) }
        }
    }
}

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
            try session.view(FeatureAction.scope(of: feature), at: moment.point(session)) { Outline.lines($0) }
        }
    }
}

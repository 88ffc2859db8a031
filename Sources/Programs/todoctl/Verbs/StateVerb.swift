import ArgumentParser
import TodoAPI

struct StateVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Show the state, or one scope of it.",
        discussion: """
            EXAMPLES:
              todoctl state
              todoctl state counter
              todoctl state todos.items --json
              todoctl state --at "10 minutes ago"
              todoctl state --json > state.json
              todod --ephemeral --state state.json --socket /tmp/try.socket
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    @Argument(
        help: "A feature or one field of its state: todos, todos.items. Left out: everything.", completion: .features)
    var scope: String?

    func run(_ session: Session) throws {
        try session.show(scope.map(FeatureAction.scope), at: moment.point(session)) { Tree.lines($0) }
    }
}

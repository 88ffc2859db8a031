import ArgumentParser
import TodoAPI
import Varlink

struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the state, then every change as it happens.",
        discussion: """
            EXAMPLES:
              todoctl watch
              todoctl watch todos.items
              todoctl watch counter --json
              todoctl watch star swift

            Ends with Ctrl-C. + is new, - is gone, ~ has other contents, > stands elsewhere. When the daemon restarts, it goes on with
            what has changed meanwhile; with --json the whole state comes again.
            """)

    @OptionGroup var options: Options

    @Argument(help: "A feature or one field of its state: todos, todos.items. Left out: everything.")
    var scope: String?

    @Argument(help: "Of star buttons: this one alone.")
    var id: String?

    func validate() throws {
        guard id == nil || isOfStars else { throw ValidationError("An id is for star buttons alone: todoctl watch star ID") }
    }

    private var isOfStars: Bool { ["stars", "stars.items"].contains(scope.map(FeatureAction.scope)) }

    func run() throws {
        try options.session(patience: Client.followingPatience) { session in
            try StateFollower(session: session, verb: self).run()
        }
    }

    /// A whole state.
    func lines(_ state: JSON) -> [String] {
        guard isOfStars else { return Outline.lines(state) }
        return StarLine.stars(state, only: id).map { StarLine.text($0.name, $0.value) }
    }

    /// A change; nil when it is not of what is watched.
    func line(_ change: JSON, _ paint: Paint) -> String? {
        guard isOfStars else { return ChangeLines.line(change, paint: paint) }
        return StarLine.star(change).flatMap { isMeant($0.name) ? StarLine.text($0.name, $0.value) : nil }
    }

    private func isMeant(_ star: String) -> Bool { id == nil || id == star }
}

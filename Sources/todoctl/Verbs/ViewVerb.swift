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
            """)

    @OptionGroup var options: Options

    @Argument(help: "The feature.")
    var feature = "todos"

    func run() throws {
        try options.session { session in
            let reply = try session.client.call(Frame.call(ViewMethod.self, .init(feature: FeatureAction.scope(of: feature))))
            if session.isJSON { return session.output.json(reply) }
            for line in Outline.lines(reply["view"] ?? .null) { session.output.line(line) }
        }
    }
}

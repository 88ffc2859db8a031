import ArgumentParser
import TodoAPI
import Varlink

struct DebugVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debug", abstract: "See each action of a feature with what it changed.",
        discussion: """
            EXAMPLES:
              todoctl debug on counter
              todoctl debug tail
              todoctl debug off counter
              todoctl debug --from yesterday

            The features: todos, counter, alerts, posts, stars, repositories, flows.
            """,
        subcommands: [DebugOn.self, DebugOff.self, DebugTail.self, DebugShow.self], defaultSubcommand: DebugShow.self)
}

/// A feature to turn on or off.
struct DebuggedFeature: ParsableArguments {
    @Argument(help: "The feature: todos, counter, stars, ...")
    var feature: String

    /// Turns it, and says which are on.
    func turn(on: Bool, _ options: Options) throws {
        try options.session { session in
            let reply = try session.client.call(
                Frame.call(DebugMethod.self, .init(feature: FeatureAction.scope(of: feature), on: on)))
            if session.isJSON { return session.output.json(reply) }
            let answer: DebugMethod.Output = try session.client.read(reply)
            let features = answer.features.map(Visible.text).joined(separator: ", ")
            session.output.line(
                features.isEmpty ? "No feature is debugged." : "Debugged: \(features). Follow: todoctl debug tail")
        }
    }
}

import ArgumentParser
import TodoAPI
import Varlink

struct ActionsVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "actions", abstract: "Show the actions that can be dispatched, with examples.",
        discussion: """
            The daemon describes each feature as an interface: its state and its actions.

            EXAMPLES:
              todoctl actions
              todoctl actions counter
              todoctl actions todos --json
            """)

    @OptionGroup var options: Options

    @Argument(help: "The feature (default: all).", completion: .features)
    var feature: String?

    func run(_ session: Session) throws {
        let features = try DispatchableFeature.all(of: session.client)
        if features.isEmpty {
            throw Failure(.usage, "The daemon describes no features; it is older than this todoctl. Restart it.")
        }
        let name = feature.map(FeatureAction.scope)
        let chosen = features.filter { name == nil || $0.name == name }
        if chosen.isEmpty {
            let proposal = Spelling.proposal(for: feature ?? "", among: features.map { Visible.text($0.name) })
            throw Failure(.usage, "There is no feature named \(Visible.text(feature ?? "")); \(proposal)")
        }
        if session.isJSON {
            session.output.json(chosen.map { .init($0.name, .record($0.actions.map(\.member))) })
            return
        }
        for (index, feature) in chosen.enumerated() {
            if index > 0 { session.output.line("") }
            session.output.line(session.paint(Visible.text(feature.name), .bold) + Self.suffix(feature.documentation))
            for action in feature.actions {
                session.output.line("")
                session.output.line("  " + Visible.text(action.name) + Self.suffix(action.documentation))
                session.output.line("    todoctl dispatch '\(Visible.text(action.example.description))'")
            }
        }
    }

    private static func suffix(_ documentation: String) -> String {
        documentation.isEmpty ? "" : "  " + Visible.text(documentation)
    }
}

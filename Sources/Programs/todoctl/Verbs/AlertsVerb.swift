import ArgumentParser
import Chronicle
import TodoAPI

struct AlertsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alerts", abstract: "Show and dismiss alerts.",
        discussion: """
            EXAMPLES:
              todoctl alerts
              todoctl alerts dismiss 3
              todoctl alerts dismiss --all
            """,
        subcommands: [AlertsList.self, AlertsDismiss.self], defaultSubcommand: AlertsList.self)
}

struct AlertsList: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the alerts, newest last.",
        discussion: """
            EXAMPLES:
              todoctl alerts list
              todoctl alerts --json
              todoctl alerts list --at "an hour ago"
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    func run(_ session: Session) throws {
        try session.show("alerts.items", at: moment.point(session)) { state in
            let alerts = state["alerts"]?["items"]?.list ?? []
            if alerts.isEmpty, session.isTerminal { return ["There are no alerts."] }
            return alerts.map { "\($0["id"]?.int ?? 0)  " + Visible.text($0["text"]?.text ?? "") }
        }
    }
}

struct AlertsDismiss: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "dismiss", abstract: "Dismiss an alert, or all of them.",
        examples: "todoctl alerts dismiss 3", "todoctl alerts dismiss --all")

    @OptionGroup var options: Options

    @Argument(help: "The alert's id.")
    var id: Int64?

    @Flag(help: "All alerts.")
    var all = false

    func validate() throws {
        guard (id != nil) != all else { throw ValidationError("Missing alert: give an id, or --all.") }
    }

    func run(_ session: Session) throws {
        let action =
            id.map { FeatureAction.make("alerts", "dismiss", ["id": .int($0)]) } ?? FeatureAction.make("alerts", "dismissAll")
        try session.change([action]) { answer in
            [answer.sequences.isEmpty ? "There was no alert." : all ? "Dismissed all." : "Dismissed."]
        }
    }
}

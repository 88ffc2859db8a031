import ArgumentParser
import Varlink

struct AlertsList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the alerts, the newest last.",
        discussion: """
            EXAMPLES:
              todoctl alerts list
              todoctl alerts --json
              todoctl alerts list --at "an hour ago"
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    func run() throws {
        try options.session { session in
            try session.show("alerts.items", at: moment.point(session)) { state in
                let alerts = state["alerts"]?["items"]?.array ?? []
                if alerts.isEmpty, session.isTerminal { return ["There are no alerts."] }
                return alerts.map { alert in
                    "\(alert["id"]?.int ?? 0)  " + Visible.text(alert["text"]?.string ?? "")
                }
            }
        }
    }
}

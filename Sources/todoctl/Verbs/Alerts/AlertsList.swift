import ArgumentParser
import Varlink

struct AlertsList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the alerts, the newest last.",
        discussion: """
            EXAMPLES:
              todoctl alerts list
              todoctl alerts --json
            """)

    @OptionGroup var options: Options

    func run() throws {
        try options.session { session in
            try session.show("alerts.items") { state in
                let alerts = state["alerts"]?["items"]?.array ?? []
                if alerts.isEmpty, session.isTerminal { return ["There are no alerts."] }
                return alerts.map { alert in
                    "\(alert["id"]?.int ?? 0)  " + Visible.text(alert["text"]?.string ?? "")
                }
            }
        }
    }
}

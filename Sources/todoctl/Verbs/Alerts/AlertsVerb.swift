import ArgumentParser

struct AlertsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alerts", abstract: "Show what went wrong, until you dismiss it.",
        discussion: """
            EXAMPLES:
              todoctl alerts
              todoctl alerts dismiss 3
              todoctl alerts dismiss --all
            """,
        subcommands: [AlertsList.self, AlertsDismiss.self], defaultSubcommand: AlertsList.self)
}

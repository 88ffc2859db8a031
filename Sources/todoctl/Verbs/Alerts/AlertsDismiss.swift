import ArgumentParser
import Reducing
import TodoAPI

struct AlertsDismiss: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dismiss", abstract: "Dismiss an alert, or all of them.",
        discussion: """
            EXAMPLES:
              todoctl alerts dismiss 3
              todoctl alerts dismiss --all
            """)

    @OptionGroup var options: Options

    @Argument(help: "The alert's id.")
    var id: Int64?

    @Flag(help: "All alerts.")
    var all = false

    func validate() throws {
        guard (id != nil) != all else { throw ValidationError("Which one? Give an id, or --all.") }
    }

    func run() throws {
        let action =
            id.map { FeatureAction.make("alerts", "dismiss", ["id": .int($0)]) } ?? FeatureAction.make("alerts", "dismissAll")
        try options.session { session in
            try session.change([action]) { answer in
                [answer.sequences.isEmpty ? "There was no alert." : all ? "Dismissed all." : "Dismissed."]
            }
        }
    }
}

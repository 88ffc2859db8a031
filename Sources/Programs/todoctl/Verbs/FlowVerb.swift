import ArgumentParser
import Chronicle
import Dates
import TodoAPI

struct FlowVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flow", abstract: "Show and answer open questions.",
        discussion: """
            EXAMPLES:
              todoctl flow
              todoctl flow answer 1 C++
              todoctl flow cancel 1
            """,
        subcommands: [FlowList.self, FlowAnswer.self, FlowCancel.self], defaultSubcommand: FlowList.self)
}

struct FlowList: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the open questions.",
        examples: "todoctl flow list", "todoctl flow list --json", "todoctl flow list --at -5")

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    func run(_ session: Session) throws {
        try session.view("flows", at: moment.point(session)) { view in
            let rows = view["rows"]?.list ?? []
            if rows.isEmpty, session.isTerminal { return ["There are no open questions."] }
            return rows.map { row in
                let options = (row["options"]?.list ?? []).compactMap { $0.text.map(Visible.text) }
                let rest =
                    row["waits"]?.bool == true
                    ? "waits for another" : options.isEmpty ? "any answer" : options.joined(separator: ", ")
                let deadline = row["deadline"]?.int.map { ", until \(session.moment($0).text)" } ?? ""
                return "\(row["id"]?.int ?? 0)  \(Visible.text(row["kind"]?.text ?? ""))  "
                    + session.paint(rest + deadline, .dim)
            }
        }
    }
}

struct FlowAnswer: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer", abstract: "Answer an open question.", examples: "todoctl flow answer 1 C++")

    @OptionGroup var options: Options

    @Argument(help: "The question's id.")
    var id: Int64

    @Argument(help: "The answer.")
    var words: [String]

    func run(_ session: Session) throws {
        let payload: Value = ["id": .int(id), "text": .text(words.joined(separator: " "))]
        try session.change([FeatureAction.make("flows", "answer", payload)]) { _ in ["Answered."] }
    }
}

struct FlowCancel: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel an open question.", examples: "todoctl flow cancel 1")

    @OptionGroup var options: Options

    @Argument(help: "The question's id.")
    var id: Int64

    func run(_ session: Session) throws {
        try session.change([FeatureAction.make("flows", "cancel", ["id": .int(id)])]) { _ in ["Cancelled."] }
    }
}

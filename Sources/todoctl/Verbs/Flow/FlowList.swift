import ArgumentParser
import Varlink

struct FlowList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the questions that are open.",
        discussion: """
            EXAMPLES:
              todoctl flow list
              todoctl flow list --json
              todoctl flow list --at -5
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    func run() throws {
        try options.session { session in
            try session.view("flows", at: moment.point(session)) { view in
                let rows = view["rows"]?.array ?? []
                if rows.isEmpty, session.isTerminal { return ["Nothing waits for an answer."] }
                return rows.map { row in
                    let options = (row["options"]?.array ?? []).compactMap { $0.string.map(Visible.text) }
                    let rest =
                        row["waits"]?.bool == true
                        ? "waits for another" : options.isEmpty ? "any answer" : options.joined(separator: ", ")
                    return "\(row["id"]?.int ?? 0)  \(Visible.text(row["kind"]?.string ?? ""))  " + session.paint(rest, .dim)
                }
            }
        }
    }
}

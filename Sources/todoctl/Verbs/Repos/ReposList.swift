import ArgumentParser
import Varlink

struct ReposList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the repositories of the current language.",
        discussion: """
            EXAMPLES:
              todoctl repos list
              todoctl repos list --json
              todoctl repos list --at yesterday
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    func run() throws {
        try options.session { session in
            try session.show("repositories", at: moment.point(session)) { state in
                ReposList.lines(state["repositories"] ?? .null, session)
            }
        }
    }

    static func lines(_ repositories: JSON, _ session: Session) -> [String] {
        let items = repositories["items"]?.array ?? []
        var title = Visible.text(repositories["language"]?.string ?? "")
        if repositories["loading"]?.bool == true { title += ", loading" }
        var lines = [session.paint(title, .bold)]
        if items.isEmpty, session.isTerminal { lines.append("Nothing here yet. To load them: todoctl repos reload") }
        let width = String(items.count).utf8.count
        for (index, item) in items.enumerated() {
            let number = String(index + 1)
            let margin = String(repeating: " ", count: width - number.utf8.count)
            let name = Visible.text(item["fullName"]?.string ?? "")
            let about = item["description"]?.string.map { $0.isEmpty ? "" : "  " + session.paint(Visible.text($0), .dim) } ?? ""
            lines.append("\(margin)\(number)  \(name)  ★ \(Digits.grouped(Int(clamping: item["stars"]?.int ?? 0)))\(about)")
        }
        return lines
    }
}

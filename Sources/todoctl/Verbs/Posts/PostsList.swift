import ArgumentParser
import Varlink

struct PostsList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the posts that were fetched.",
        discussion: """
            EXAMPLES:
              todoctl posts list
              todoctl posts list --json
              todoctl posts list --at yesterday

            The first line says how many there are, whether more are being fetched, and whether there is a next page.
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    func run() throws {
        try options.session { session in
            try session.show("posts", at: moment.point(session)) { state in
                PostsList.lines(state["posts"] ?? .null, session.paint)
            }
        }
    }

    static func lines(_ posts: JSON, _ paint: Paint) -> [String] {
        let items = posts["items"]?.array ?? []
        var title = "Posts - (\(items.count))"
        if posts["loading"]?.bool == true { title += ", fetching" }
        if (posts["nextPage"]?.int ?? 0) > 0 { title += ", more to fetch" }
        let width = items.reduce(1) { max($0, String($1["id"]?.int ?? 0).utf8.count) }
        return [paint(title, .bold)]
            + items.map { post in
                let id = String(post["id"]?.int ?? 0)
                let link = post["link"]?.string.map { "  " + paint(Visible.text($0), .dim) } ?? ""
                let margin = String(repeating: " ", count: width - id.utf8.count)
                return margin + id + "  " + Visible.text(post["title"]?.string ?? "") + link
            }
    }
}

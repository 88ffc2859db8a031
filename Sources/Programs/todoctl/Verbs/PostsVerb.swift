import ArgumentParser
import Chronicle
import TodoAPI

struct PostsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posts", abstract: "Fetch and list posts, and create todos from them.",
        discussion: """
            EXAMPLES:
              todoctl posts fetch
              todoctl posts
              todoctl posts more
              todoctl posts add 3
            """,
        subcommands: [PostsFetch.self, PostsMore.self, PostsList.self, PostsAdd.self], defaultSubcommand: PostsList.self)
}

struct PostsList: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the fetched posts.",
        discussion: """
            EXAMPLES:
              todoctl posts list
              todoctl posts list --json
              todoctl posts list --at yesterday

            The first line shows their number, whether a request is running, and whether there is a next page.
            """)

    @OptionGroup var options: Options
    @OptionGroup var moment: PointOption

    func run(_ session: Session) throws {
        try session.show("posts", at: moment.point(session)) { state in
            PostsList.lines(state["posts"] ?? .null, session.paint)
        }
    }

    static func lines(_ posts: Value, _ paint: Paint) -> [String] {
        let items = posts["items"]?.list ?? []
        var title = "Posts - (\(items.count))"
        if posts["loading"]?.bool == true { title += ", fetching" }
        if (posts["nextPage"]?.int ?? 0) > 0 { title += ", more to fetch" }
        let width = items.reduce(1) { max($0, String($1["id"]?.int ?? 0).utf8.count) }
        return [paint(title, .bold)]
            + items.map { post in
                let id = String(post["id"]?.int ?? 0)
                let link = post["link"]?.text.map { "  " + paint(Visible.text($0), .dim) } ?? ""
                let margin = String(repeating: " ", count: width - id.utf8.count)
                return margin + id + "  " + Visible.text(post["title"]?.text ?? "") + link
            }
    }
}

struct PostsFetch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Fetch the newest posts.",
        discussion: """
            EXAMPLES:
              todoctl posts fetch
              todoctl posts fetch --no-wait
              todoctl posts list

            On a terminal, or with --wait, waits for the posts, across restarts of the daemon; the exit status is 1 if fetching
            fails. An alert gives the reason. Ctrl-C ends only the wait.
            """)

    @OptionGroup var options: Options
    @OptionGroup var waiting: WaitOption

    func run() throws { try waiting.run(.fetch, options) }
}

struct PostsMore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "more", abstract: "Fetch the next page of posts.",
        discussion: """
            EXAMPLES:
              todoctl posts more
              todoctl posts more --wait

            Refused if there is no next page. Waits like fetch.
            """)

    @OptionGroup var options: Options
    @OptionGroup var waiting: WaitOption

    func run() throws { try waiting.run(.more, options) }
}

struct PostsAdd: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Create a todo from a post.", examples: "todoctl posts add 3")

    @OptionGroup var options: Options

    @Argument(help: "The post's id.")
    var id: Int64

    func run(_ session: Session) throws {
        try session.change([FeatureAction.make("posts", "add", ["id": .int(id)])]) { session.added($0.ids) }
    }
}

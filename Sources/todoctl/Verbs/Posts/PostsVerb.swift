import ArgumentParser

struct PostsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posts", abstract: "Fetch posts, read them, and make todos of them.",
        discussion: """
            EXAMPLES:
              todoctl posts fetch
              todoctl posts
              todoctl posts more
              todoctl posts add 3
            """,
        subcommands: [PostsFetch.self, PostsMore.self, PostsList.self, PostsAdd.self], defaultSubcommand: PostsList.self)
}

import ArgumentParser

struct ReposVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repos", abstract: "Show the most starred repositories of a language.",
        discussion: """
            EXAMPLES:
              todoctl repos reload
              todoctl repos
              todoctl repos open 1
              todoctl repos language C++
              todoctl repos choose
            """,
        subcommands: [ReposList.self, ReposReload.self, ReposOpen.self, ReposChoose.self, ReposLanguage.self],
        defaultSubcommand: ReposList.self)
}

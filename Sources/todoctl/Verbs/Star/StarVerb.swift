import ArgumentParser

struct StarVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "star", abstract: "Press star buttons, and see what they show.",
        discussion: """
            EXAMPLES:
              todoctl star press swift --wait
              todoctl star show swift
              todoctl star show
            """,
        subcommands: [StarPress.self, StarShow.self], defaultSubcommand: StarShow.self)
}

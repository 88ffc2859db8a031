import ArgumentParser

struct FlowVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flow", abstract: "See the questions that wait for an answer, and answer them.",
        discussion: """
            EXAMPLES:
              todoctl flow
              todoctl flow answer 1 C++
              todoctl flow cancel 1
            """,
        subcommands: [FlowList.self, FlowAnswer.self, FlowCancel.self], defaultSubcommand: FlowList.self)
}

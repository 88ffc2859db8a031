import ArgumentParser

struct Done: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mark todos as done.",
        discussion: """
            EXAMPLES:
              todoctl done 3
              todoctl done 3 4 5
            """)

    @OptionGroup var options: Options

    @Argument(help: "The ids of the todos.")
    var ids: [Int64]

    func run() throws {
        try options.session { session in
            try session.change(ids.map(TodoAction.complete)) { _ in ids.map { "Done: \($0)." } }
        }
    }
}

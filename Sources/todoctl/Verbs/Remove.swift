import ArgumentParser

struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove todos.",
        discussion: """
            EXAMPLES:
              todoctl remove 3
              todoctl remove 3 4 5
            """)

    @OptionGroup var options: Options

    @Argument(help: "The ids of the todos.")
    var ids: [Int64]

    func run() throws {
        try options.session { session in
            try session.change(ids.map(TodoAction.remove)) { _ in ids.map { "Removed \($0)." } }
        }
    }
}

import ArgumentParser

struct Reopen: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mark done todos as open again.",
        discussion: """
            EXAMPLES:
              todoctl reopen 3
            """)

    @OptionGroup var options: Options

    @Argument(help: "The ids of the todos.")
    var ids: [Int64]

    func run() throws {
        try options.session { session in
            try session.change(ids.map(TodoAction.reopen)) { _ in ids.map { "Open again: \($0)." } }
        }
    }
}

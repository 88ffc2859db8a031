import ArgumentParser
import TodoAPI

struct Redo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Do again what you took back, until you do something new.",
        discussion: """
            EXAMPLES:
              todoctl redo
              todoctl redo --count 3
            """)

    @OptionGroup var options: Options

    @Option(help: ArgumentHelp("Do so many again.", valueName: "number"))
    var count: Int?

    @OptionGroup var how: UndoOptions

    func run() throws {
        let input = RedoMethod.Input(
            count: count, any: how.any ? true : nil, force: how.force ? true : nil, dryRun: how.dryRun ? true : nil,
            key: how.dryRun ? nil : DispatchKey.make())
        try how.run(
            RedoMethod.self, input, options, done: "Did again what was taken back by",
            wouldBeDone: "Would do again what was taken back by",
            back: "todoctl undo")
    }
}

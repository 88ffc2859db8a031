import ArgumentParser
import TodoAPI

struct Undo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take back what you did last, or certain steps.",
        discussion: """
            EXAMPLES:
              todoctl undo
              todoctl undo 57
              todoctl undo --count 3 --dry-run
              todoctl undo --any

            A step is everything that one verb did, with all that came of it. If what it changed has changed since, that is shown, and
            nothing is done without --force. What had happened outside already, such as a star, is named, and asked to be taken back.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The steps, each by any of its sequences in the log; the last one of yours, if left out.")
    var steps: [UInt64] = []

    @Option(help: ArgumentHelp("Take back so many of the last steps.", valueName: "number"))
    var count: Int?

    @OptionGroup var how: UndoOptions

    func validate() throws {
        if count != nil, !steps.isEmpty { throw ValidationError("Name the steps, or say how many; not both.") }
    }

    func run() throws {
        let input = UndoMethod.Input(
            steps: steps.isEmpty ? nil : steps, count: count, any: how.any ? true : nil, force: how.force ? true : nil,
            dryRun: how.dryRun ? true : nil, key: how.dryRun ? nil : DispatchKey.make())
        try how.run(UndoMethod.self, input, options, done: "Took back", wouldBeDone: "Would take back", back: "todoctl redo")
    }
}

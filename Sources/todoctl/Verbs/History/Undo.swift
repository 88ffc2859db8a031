import ArgumentParser
import TodoAPI

struct Undo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take back what you did last, or certain steps.",
        discussion: """
            EXAMPLES:
              todoctl undo
              todoctl undo 57 @-2
              todoctl undo --count 3 --dry-run
              todoctl undo --any

            A step is everything that one verb did, with all that came of it. If what it changed has changed since, that is shown, and
            nothing is done without --force. What had happened outside already, such as a star, is named, and asked to be taken back.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The steps, each by any of its records, a sequence or @-3; the last one of yours, if left out.")
    var steps: [String] = []

    @OptionGroup var how: UndoOptions

    func validate() throws {
        if how.count != nil, !steps.isEmpty { throw ValidationError("Name the steps, or say how many; not both.") }
    }

    func run() throws {
        try how.run(options, UndoMethod.self, done: "Took back", wouldBeDone: "Would take back", back: "todoctl redo") {
            session throws(Failure) in
            var sequences: [UInt64] = []
            for step in steps { sequences.append(try session.record(step)) }
            return UndoMethod.Input(
                steps: steps.isEmpty ? nil : sequences, count: how.count, any: how.any ? true : nil,
                force: how.force ? true : nil,
                dryRun: how.dryRun ? true : nil, key: how.dryRun ? nil : DispatchKey.make())
        }
    }
}

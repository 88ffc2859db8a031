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

    @OptionGroup var how: UndoOptions

    func run() throws {
        try how.run(
            options, RedoMethod.self, done: "Did again what was taken back by",
            wouldBeDone: "Would do again what was taken back by", back: "todoctl undo"
        ) { _ in
            RedoMethod.Input(
                count: how.count, any: how.any ? true : nil, force: how.force ? true : nil, dryRun: how.dryRun ? true : nil,
                key: how.dryRun ? nil : DispatchKey.make())
        }
    }
}

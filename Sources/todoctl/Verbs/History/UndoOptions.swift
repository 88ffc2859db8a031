import ArgumentParser
import TodoAPI

/// What undo and redo understand alike.
struct UndoOptions: ParsableArguments {
    @Option(help: ArgumentHelp("So many of the last steps.", valueName: "number"))
    var count: Int?

    @Flag(help: "Everybody's steps, not only yours.")
    var any = false

    @Flag(help: "Overwrite what has changed since.")
    var force = false

    @Flag(help: "Only say what would change.")
    var dryRun = false

    func validate() throws {
        if let count, !(1...1_000).contains(count) { throw ValidationError("--count is a number from 1 to 1000.") }
    }

    /// Asks the daemon, and says what came of it.
    func run<M: Method>(
        _ options: Options, _ method: M.Type, done: String, wouldBeDone: String, back: String,
        _ input: (Session) throws(Failure) -> M.Input
    ) throws {
        try options.session { session in
            do throws(Failure) {
                let answer = try session.client.call(Frame.call(method, input(session)))
                if session.isJSON { return session.output.json(answer) }
                let lines = UndoLines.lines(
                    answer, done: done, wouldBeDone: wouldBeDone, isDryRun: dryRun, paint: session.paint)
                for line in lines { session.output.line(line) }
                if session.isTerminal, !dryRun { session.output.line("(\(back))") }
            } catch {
                var failure = UndoLines.telling(error)
                if !any, failure.error?.hasSuffix(".NothingToUndo") == true {
                    failure.message += ". Steps of others are meant only with --any."
                }
                throw failure
            }
        }
    }
}

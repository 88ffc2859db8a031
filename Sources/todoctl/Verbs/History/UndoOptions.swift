import ArgumentParser
import TodoAPI

/// What undo and redo understand alike.
struct UndoOptions: ParsableArguments {
    @Flag(help: "Everybody's steps, not only yours.")
    var any = false

    @Flag(help: "Overwrite what has changed since.")
    var force = false

    @Flag(help: "Only say what would change.")
    var dryRun = false

    /// Asks the daemon, and says what came of it.
    func run<M: Method>(
        _ method: M.Type, _ input: M.Input, _ options: Options, done: String, wouldBeDone: String, back: String
    ) throws {
        try options.session { session in
            do throws(Failure) {
                let answer = try session.client.call(Frame.call(method, input))
                if session.isJSON { return session.output.json(answer) }
                let lines = UndoLines.lines(
                    answer, done: done, wouldBeDone: wouldBeDone, isDryRun: dryRun, paint: session.paint)
                for line in lines { session.output.line(line) }
                if session.isTerminal, !dryRun { session.output.line("(\(back))") }
            } catch {
                throw UndoLines.telling(error)
            }
        }
    }
}

import ArgumentParser
import TodoAPI

struct Undo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Undo your last step, or the given steps.",
        discussion: """
            EXAMPLES:
              todoctl undo
              todoctl undo 57 @-2
              todoctl undo --count 3 --dry-run
              todoctl undo --any
              todoctl undo --path 'todos.items[12].title'

            A step is everything that one verb did, including the results of its commands. If a value has changed since, the
            conflict is shown, and nothing is done without --force. Effects outside the daemon, such as a star, are listed, and
            their reversal is requested. Without a step, requests for data (load, posts fetch, repos reload) are skipped: name
            them.

            --path undoes only the last change of one place; repeated, the change before it.
            """)

    @OptionGroup var options: Options

    @Argument(help: "Steps, named by any of their records: a sequence or @-3 (default: your last step).")
    var steps: [String] = []

    @Option(
        help: ArgumentHelp("Only the last change of this place, such as counter.count or todos.items[12].", valueName: "place"))
    var path: String?

    @OptionGroup var how: UndoOptions

    func validate() throws {
        if path != nil, how.count != nil || how.force || !steps.isEmpty {
            throw ValidationError("--path excludes steps, --count and --force.")
        }
        if how.count != nil, !steps.isEmpty { throw ValidationError("Steps and --count exclude each other.") }
    }

    func run() throws {
        // A restored path is undone like any other step.
        let back = path == nil ? "todoctl redo" : "todoctl undo"
        let done = path == nil ? "Undone" : "Undone there"
        let wouldBeDone = path == nil ? "Would undo" : "Would undo there"
        try how.run(options, done: done, wouldBeDone: wouldBeDone, back: back) { session, input throws(Failure) in
            if !steps.isEmpty { input.steps = try steps.map { step throws(Failure) in try session.record(step) } }
            input.place = path
        }
    }
}

struct Redo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo", abstract: "Redo what you undid, until you do something new.",
        examples: "todoctl redo", "todoctl redo --count 3")

    @OptionGroup var options: Options

    @OptionGroup var how: UndoOptions

    func run() throws {
        try how.run(options, done: "Redone", wouldBeDone: "Would redo", back: "todoctl undo") { _, input in input.redo = true }
    }
}

struct UndoOptions: ParsableArguments {
    @Option(
        parsing: .unconditional, help: ArgumentHelp("Number of last steps (default: 1).", valueName: "number"),
        transform: Numeral.whole(in: 1...UndoMethod.stepsMax))
    var count: Int?

    @Flag(help: "Include the steps of all users.")
    var any = false

    @Flag(help: "Overwrite later changes.")
    var force = false

    @Flag(name: [.customShort("n"), .long], help: "Show what would change.")
    var dryRun = false

    /// - Parameter choose: sets the steps to undo.
    func run(
        _ options: Options, done: String, wouldBeDone: String, back: String,
        _ choose: (Session, inout UndoMethod.Input) throws(Failure) -> Void
    ) throws {
        try options.session { session in
            var input = UndoMethod.Input(
                count: count, any: any ? true : nil, force: force ? true : nil, dryRun: dryRun ? true : nil,
                key: dryRun ? nil : DispatchKey.make())
            do throws(Failure) {
                try choose(session, &input)
                try session.show(UndoMethod.self, input) { answer throws(Failure) in
                    let deeds = try session.summary(of: answer.steps).text
                    var undone = UndoLines(answer)
                    undone.nameTodos(session.client)
                    let lines = undone.lines(
                        "\(dryRun ? wouldBeDone : done): \(deeds)", isDryRun: dryRun, paint: session.paint)
                    if dryRun { return lines }
                    let held = session.held(answer.commands, since: answer.step)
                    return lines + held + (session.isTerminal ? ["(\(back))"] : [])
                }
            } catch {
                var failure = UndoLines.telling(error)
                if let place = input.place, failure.known == .nothingToUndo {
                    let place = Visible.text(place)
                    failure.message =
                        "Nothing that can be undone has changed \(place).\n"
                        + "To see what changed it: todoctl log --path '\(place)'"
                } else if !any, failure.known == .nothingToUndo {
                    failure.message +=
                        ". Steps of other users need --any, and requests for data are undone by number."
                }
                throw failure
            }
        }
    }
}

import ArgumentParser
import TodoAPI

struct Undo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take back what you did last, or certain steps.",
        discussion: """
            EXAMPLES:
              todoctl undo
              todoctl undo 57 @-2
              todoctl undo --count 3 --dry-run
              todoctl undo --any
              todoctl undo --path 'todos.items[12].title'

            A step is everything that one verb did, with all that came of it. If what it changed has changed since, that is shown, and
            nothing is done without --force. What had happened outside already, such as a star, is named, and asked to be taken back.
            Without a step, those that only asked for something to see (load, posts fetch, repos reload) are passed by: name them.

            With --path only what the last change of that place did there is taken back; asked again, what the one before did.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The steps, each by any of its records, a sequence or @-3; the last one of yours, if left out.")
    var steps: [String] = []

    @Option(
        help: ArgumentHelp("Only the last change of this place, such as counter.count or todos.items[12].", valueName: "place"))
    var path: String?

    @OptionGroup var how: UndoOptions

    func validate() throws {
        if path != nil, how.count != nil || how.force || !steps.isEmpty {
            throw ValidationError("--path goes with neither steps nor --count nor --force.")
        }
        if how.count != nil, !steps.isEmpty { throw ValidationError("Name the steps, or say how many; not both.") }
    }

    func run() throws {
        // A restore of one path is a step like any other.
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
        commandName: "redo", abstract: "Do again what you took back, until you do something new.",
        examples: "todoctl redo", "todoctl redo --count 3")

    @OptionGroup var options: Options

    @OptionGroup var how: UndoOptions

    func run() throws {
        try how.run(options, done: "Redone", wouldBeDone: "Would redo", back: "todoctl undo") { _, input in input.redo = true }
    }
}

/// The options that undo and redo share.
struct UndoOptions: ParsableArguments {
    @Option(
        parsing: .unconditional, help: ArgumentHelp("So many of the last steps.", valueName: "number"),
        transform: Numeral.whole(in: 1...UndoMethod.stepsMax))
    var count: Int?

    @Flag(help: "Everybody's steps, not only yours.")
    var any = false

    @Flag(help: "Overwrite what has changed since.")
    var force = false

    @Flag(name: [.customShort("n"), .long], help: "Only say what would change.")
    var dryRun = false

    /// Asks the daemon, and shows the result.
    ///
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
                        ". Steps of others are meant only with --any, and those that only asked for something to see by number."
                }
                throw failure
            }
        }
    }
}

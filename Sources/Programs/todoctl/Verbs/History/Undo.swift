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

struct Revert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Go back to how everything was at a moment.",
        discussion: """
            EXAMPLES:
              todoctl revert --to "yesterday 9:00"
              todoctl revert --to before-the-move --dry-run
              todoctl revert --to -3 --yes

            Shows what would change and asks. Whatever came later, whoever did it, is taken back as one step, which todoctl undo takes back
            in turn; nothing of the log is lost.
            """)

    @OptionGroup var options: Options

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The moment: a record, -3 (records back), \"yesterday 9:00\", a bookmark.", valueName: "point"))
    var to: String

    @OptionGroup var consent: Consent

    func run() throws {
        try options.session { session in
            let point = try session.point(to, edge: .end)
            let dryRun = try session.client.ask(RevertMethod.self, .init(to: point, dryRun: true))
            let would = try dryRun.output()
            let isNothing = would.changes?.isEmpty == true && would.commands.isEmpty
            if consent.dryRun || !session.isJSON {
                try session.show(dryRun) { would in
                    if isNothing { return ["Everything is as it was at \(would.target) already."] }
                    return ["To go back to \(would.target) would change:"]
                        + UndoLines(would).details(isDryRun: true, paint: session.paint)
                }
                if isNothing || consent.dryRun { return }
            }
            try consent.ask("Go back?", session)
            // The moment that was shown, even if the log has grown since.
            let input = RevertMethod.Input(to: Point(sequence: would.target), key: DispatchKey.make())
            try session.show(RevertMethod.self, input) { answer in
                guard let step = answer.step else { return ["There was nothing to take back."] }
                let said = "Everything is as it was at \(would.target)."
                return session.isTerminal ? [said, "(todoctl undo \(step))"] : [said]
            }
        }
    }
}

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
        if let count, !(1...UndoMethod.stepsMax).contains(count) {
            throw ValidationError("--count is a number from 1 to \(UndoMethod.stepsMax).")
        }
    }

    /// Asks the daemon, and says what came of it.
    func run<M: Method>(
        _ options: Options, _ method: M.Type, done: String, wouldBeDone: String, back: String,
        _ input: (Session) throws(Failure) -> M.Input
    ) throws where M.Output == UndoMethod.Output {
        try options.session { session in
            do throws(Failure) {
                try session.show(method, input(session)) { answer in
                    let lines = UndoLines(answer).lines(
                        done: done, wouldBeDone: wouldBeDone, isDryRun: dryRun, paint: session.paint)
                    return session.isTerminal && !dryRun ? lines + ["(\(back))"] : lines
                }
            } catch {
                var failure = UndoLines.telling(error)
                if !any, failure.known == .nothingToUndo {
                    failure.message += ". Steps of others are meant only with --any."
                }
                throw failure
            }
        }
    }
}

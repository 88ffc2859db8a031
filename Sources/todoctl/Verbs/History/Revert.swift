import ArgumentParser
import TodoAPI
import Varlink

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
            let trial = try session.client.call(Frame.call(RevertMethod.self, .init(to: point, dryRun: true)))
            if consent.dryRun, session.isJSON { return session.output.json(trial) }
            let target = UInt64(trial["target"]?.int ?? 0)
            let isNothing = trial["changes"]?.array?.isEmpty == true && trial["commands"]?.array?.isEmpty == true
            if !session.isJSON {
                show(trial, target, isNothing: isNothing, session)
                if isNothing || consent.dryRun { return }
            }
            guard try consent.isGiven("Go back?", session) else { return }
            // The moment that was shown, even if the log has grown since.
            let input = RevertMethod.Input(to: Point(sequence: target), key: DispatchKey.make())
            let answer = try session.client.call(Frame.call(RevertMethod.self, input))
            if session.isJSON { return session.output.json(answer) }
            guard let step = answer["step"]?.int else { return session.output.line("There was nothing to take back.") }
            session.output.line("Everything is as it was at \(target).")
            if session.isTerminal { session.output.line("(todoctl undo \(step))") }
        }
    }

    private func show(_ trial: [JSON.Member], _ target: UInt64, isNothing: Bool, _ session: Session) {
        if isNothing { return session.output.line("Everything is as it was at \(target) already.") }
        session.output.line("To go back to \(target) would change:")
        for line in UndoLines.details(trial, isDryRun: true, paint: session.paint) { session.output.line(line) }
    }
}

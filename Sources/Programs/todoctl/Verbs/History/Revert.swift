import ArgumentParser
import TodoAPI

struct Revert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Go back to how everything was at a moment.",
        discussion: """
            EXAMPLES:
              todoctl revert --to "yesterday 9:00"
              todoctl revert --to before-the-move --dry-run
              todoctl revert --to -3 --scope todos --yes

            Shows what would change and asks. Whatever came later, whoever did it, is taken back as one step, which todoctl undo takes back
            in turn; nothing of the log is lost. With --scope only a feature, or a field of one, goes back; todoctl restore does that
            for any place.
            """)

    @OptionGroup var options: Options

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The moment: a record, -3 (records back), \"yesterday 9:00\", a bookmark.", valueName: "point"))
    var to: String

    @Option(help: ArgumentHelp("Only this feature, or field of one: todos, counter.count.", valueName: "scope"))
    var scope: String?

    @OptionGroup var consent: Consent

    func run() throws {
        try Reversion(place: scope.map(FeatureAction.scope), moment: to, consent: consent).run(options)
    }
}

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put one place back to how it was at a moment.",
        discussion: """
            EXAMPLES:
              todoctl restore 'todos.items[12]' --from yesterday
              todoctl restore 'todos.items[12].title' --from 57
              todoctl restore counter.count --from -3 --yes

            Shows what would change and asks. Everything else stays; a todo that was removed comes back with its id. It is one step, which
            todoctl undo takes back in turn.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The place, such as todos.items[12].title.")
    var path: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The moment: a record, -3 (records back), \"yesterday 9:00\", a bookmark.", valueName: "point"))
    var from: String

    @OptionGroup var consent: Consent

    func run() throws {
        try Reversion(place: FeatureAction.scope(of: path), moment: from, consent: consent).run(options)
    }
}

/// What revert and restore do alike: show what would change, ask, and do it.
private struct Reversion {
    var place: String?
    var moment: String
    var consent: Consent

    func run(_ options: Options) throws {
        try options.session { session in
            let point = try session.point(moment, edge: .moment)
            let dryRun = try session.client.ask(RevertMethod.self, .init(to: point, place: place, dryRun: true))
            let would = try dryRun.output()
            let isNothing = would.changes?.isEmpty == true && would.commands.isEmpty
            let what = place.map(Visible.text) ?? "Everything"
            if consent.dryRun || !session.isJSON {
                try session.show(dryRun) { would in
                    if isNothing { return ["\(what) is as it was at \(would.target) already."] }
                    return ["To go back to \(would.target) would change:"]
                        + UndoLines(would).details(isDryRun: true, paint: session.paint)
                }
                if isNothing || consent.dryRun { return }
            }
            try consent.ask("Go back?", session)
            // The moment that was shown, even if the log has grown since.
            let input = RevertMethod.Input(to: Point(sequence: would.target), place: place, key: DispatchKey.make())
            try session.show(RevertMethod.self, input) { answer in
                guard let step = answer.step else { return ["There was nothing to take back."] }
                let said = "\(what) is as it was at \(would.target)."
                return session.isTerminal ? [said, "(todoctl undo \(step))"] : [said]
            }
        }
    }
}

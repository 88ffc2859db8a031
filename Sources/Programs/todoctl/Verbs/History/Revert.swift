import ArgumentParser
import TodoAPI

struct Revert: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revert",
        abstract: "Go back to an earlier state.",
        discussion: """
            EXAMPLES:
              todoctl revert --to "yesterday 9:00"
              todoctl revert --to before-the-move --dry-run
              todoctl revert --to -3 --scope todos --yes

            Shows a preview and asks. All later changes, also those of other users, are undone as one step, which todoctl undo
            reverts. The log is kept. With --scope, only a feature or a field of one goes back; todoctl restore does that for any
            place.
            """)

    @OptionGroup var options: Options

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The moment: a record, -3 (records back), \"yesterday 9:00\", a bookmark.", valueName: "point"), completion: .moments)
    var to: String

    @Option(
        help: ArgumentHelp("Only this feature or field of one: todos, counter.count.", valueName: "scope"), completion: .features
    )
    var scope: String?

    @OptionGroup var consent: Consent

    func run() throws {
        try Reversion(place: scope.map(FeatureAction.scope), moment: to, consent: consent).run(options)
    }
}

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore one place from an earlier state.",
        discussion: """
            EXAMPLES:
              todoctl restore 'todos.items[12]' --from yesterday
              todoctl restore 'todos.items[12].title' --from 57
              todoctl restore counter.count --from -3 --yes

            Shows a preview and asks. A removed todo gets its id back. todos.items[@0] is the todo that is first now. The change
            is one step, which todoctl undo reverts.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The place, such as todos.items[12].title.")
    var path: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The moment: a record, -3 (records back), \"yesterday 9:00\", a bookmark.", valueName: "point"), completion: .moments)
    var from: String

    @OptionGroup var consent: Consent

    func run() throws {
        try Reversion(place: FeatureAction.scope(of: path), moment: from, consent: consent).run(options)
    }
}

/// The common part of revert and restore.
private struct Reversion {
    var place: String?
    var moment: String
    var consent: Consent

    func run(_ options: Options) throws {
        try options.session { session in
            let point = try session.point(moment, edge: .moment)
            let what = place.map(Visible.text) ?? "Everything"
            let change = ProposedChange<RevertMethod>(
                consent: consent, heading: { "Going back to record \($0.target ?? 0) would change:" },
                nothing: { "\(what) is as it was at \($0.target ?? 0) already." }, question: "Go back?",
                done: { place == nil ? Self.back($0) : "\(what) is as it was at \($0.target ?? 0)." },
                input: { would in
                    guard let would else { return .init(to: point, place: place, dryRun: true) }
                    // The previewed point, even if the log has grown since.
                    return .init(
                        to: would.moment ?? point, place: place, key: DispatchKey.make(),
                        expectedOutcome: consent.outcome(shown: would))
                })
            try change.make(session)
        }
    }

    /// The message after a revert: `Back at 61; 2 requests under way`, as a sentence.
    private static func back(_ answer: RevertMethod.Output) -> String {
        let requests = UInt64(answer.commands.count) + (answer.commandsLeftOut ?? 0)
        return "Back at \(answer.target ?? 0)" + (requests > 0 ? "; \(Digits.counted(requests, "request")) under way." : ".")
    }
}

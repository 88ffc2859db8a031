import Reducing
import TodoAPI

/// A change that is tried, shown and asked about before it is made: that of revert, restore, fork merge and whatif --apply.
struct ProposedChange<M: Method> where M.Output: ChangeAnswer {
    let consent: Consent
    /// What stands above the changes: `To go back to 12 would change:`.
    let heading: (M.Output) -> String
    /// What is said where there is nothing to change.
    let nothing: (M.Output) -> String
    let question: String
    /// What is said when it is done.
    let done: (M.Output) -> String
    /// What the daemon is asked to do: in a dry run, with nil, and then with what that answered.
    let input: (M.Output?) -> M.Input

    /// Shows what would change, asks, and does it.
    func make(_ session: Session) throws(Failure) {
        let dryRun = try session.client.ask(M.self, input(nil))
        let would = try dryRun.output()
        let isAll = consent.dryRun || would.isNothing
        if isAll || !session.isJSON {
            try session.show(dryRun) { would in
                if would.isNothing { return [nothing(would)] }
                var lines = would.lines
                lines.nameTodos(session.client, at: would.moment)
                return [heading(would)] + lines.details(isDryRun: true, paint: session.paint)
            }
        }
        if isAll { return }
        try consent.ask(question, session)
        try session.show(M.self, input(would)) { answer in
            // What was shown may have come about meanwhile.
            guard let step = answer.step else { return [nothing(answer)] }
            let held = session.held(askedBy: answer.commands.compactMap(\.id?.sequence))
            return [done(answer)] + held + session.undoHint(step)
        }
    }
}

/// What came of a change as one step, or would come of it.
protocol ChangeAnswer {
    var step: UInt64? { get }
    var changes: [Change]? { get }
    var commands: [CommandMessage] { get }
    var lines: UndoLines { get }
    /// The moment that everything is as at again; `nil` of what goes back to none.
    var moment: Point? { get }
}

extension ChangeAnswer {
    /// Whether there is nothing to change.
    var isNothing: Bool { changes?.isEmpty == true && commands.isEmpty }
    var moment: Point? { nil }
}

extension RevertMethod.Output: ChangeAnswer {
    var lines: UndoLines { UndoLines(self) }
    var moment: Point? { Point(sequence: target) }
}

extension UndoMethod.Output: ChangeAnswer {
    var lines: UndoLines { UndoLines(self) }
}

import Reducing
import TodoAPI

/// A change that is tried, shown and asked about before it is made: that of revert, restore, fork merge and whatif --apply.
struct ProposedChange<M: Method> where M.Output: ChangeAnswer {
    let consent: Consent
    /// What stands above the changes: `Going back to record 12 would change:`.
    let heading: (M.Output) -> String
    /// What is said where there is nothing to change.
    let nothing: (M.Output) -> String
    let question: String
    /// What is said when it is done.
    let done: (M.Output) -> String
    /// What the daemon is asked to do: in a dry run, with nil, and then with what that answered.
    let input: (M.Output?) -> M.Input

    /// Shows what would change, asks, and does it.
    ///
    /// Where something else would come of it by the time that it is agreed to, that is shown, and asked about again.
    func make(_ session: Session) throws(Failure) {
        while try !makeOnce(session) { Output.note("It has changed meanwhile; nothing was done yet.\n") }
    }

    /// - Returns: whether that is all; not if something else would come of it now.
    private func makeOnce(_ session: Session) throws(Failure) -> Bool {
        let dryRun = try session.client.ask(M.self, input(nil))
        let would = try dryRun.output()
        let isAll = consent.dryRun || would.isNothing
        if isAll || !session.isJSON && !consent.yes {
            try session.show(dryRun) { would in
                if would.isNothing { return [nothing(would)] }
                var lines = would.lines
                lines.nameTodos(session.client, at: would.moment)
                return [heading(would)] + lines.details(isDryRun: true, paint: session.paint).map { "  " + $0 }
            }
        }
        if isAll { return true }
        try consent.ask(question, session)
        do throws(Failure) { try carryOut(would, session) } catch {
            guard !consent.yes, case .staleSequence = error.known else { throw error }
            return false
        }
        return true
    }

    /// What changed, where nobody was shown it before.
    private func told(_ answer: M.Output, _ session: Session) -> [String] {
        guard consent.yes, answer.changes != nil else { return [] }
        var lines = answer.lines
        lines.nameTodos(session.client, at: answer.moment)
        return lines.details(isDryRun: false, paint: session.paint).map { "  " + $0 }
    }

    private func carryOut(_ would: M.Output, _ session: Session) throws(Failure) {
        try session.show(M.self, input(would)) { answer in
            // What was shown may have come about meanwhile.
            guard let step = answer.step else { return [nothing(answer)] }
            let held = session.held(answer.commands, since: step)
            return [done(answer)] + told(answer, session) + held + session.undoHint(step)
        }
    }
}

/// What came of a change as one step, or would come of it.
protocol ChangeAnswer {
    var step: UInt64? { get }
    var changes: [Change]? { get }
    var commands: [CommandMessage] { get }
    var lines: UndoLines { get }
    /// What stands for all that it would come to; `nil` of what is done, and of a daemon of before.
    var outcome: String? { get }
    /// The moment that everything is as at again; `nil` of what goes back to none.
    var moment: Point? { get }
}

extension ChangeAnswer {
    /// Whether there is nothing to change.
    var isNothing: Bool { changes?.isEmpty == true && commands.isEmpty }
    var moment: Point? { nil }
}

extension Consent {
    /// What is to be done and nothing else, where a person agrees to what was shown; who agrees beforehand agrees to whatever comes of it.
    func outcome(shown would: (some ChangeAnswer)?) -> String? { yes ? nil : would?.outcome }
}

extension RevertMethod.Output: ChangeAnswer {
    var lines: UndoLines { UndoLines(self) }
    var moment: Point? { Point(sequence: target) }
}

extension UndoMethod.Output: ChangeAnswer {
    var lines: UndoLines { UndoLines(self) }
}

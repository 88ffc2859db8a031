import Chronicle
import TodoAPI

/// A change that is previewed and confirmed before it is made, by revert, restore, fork merge and whatif --apply.
struct ProposedChange<M: Method> where M.Output == UndoMethod.Output {
    let consent: Consent
    /// The line above the preview: `Going back to record 12 would change:`.
    let heading: (M.Output) -> String
    /// The message if there is nothing to change.
    let nothing: (M.Output) -> String
    let question: String
    /// The message after the change.
    let done: (M.Output) -> String
    /// Makes the call: a dry run if its argument is nil, otherwise the change with the result of the dry run.
    let input: (M.Output?) -> M.Input

    /// Shows a preview, asks, and makes the change.
    ///
    /// If the result is different by the time of the answer, it shows the new preview and asks again.
    func make(_ session: Session) throws(Failure) {
        while try !makeOnce(session) { Output.note("The result has changed; nothing was done yet.\n") }
    }

    /// - Returns: false if the result is different now.
    private func makeOnce(_ session: Session) throws(Failure) -> Bool {
        let dryRun = try session.client.ask(M.self, input(nil))
        let would = try dryRun.output()
        let isAll = consent.dryRun || would.isNothing
        if isAll || !session.isJSON && !consent.yes {
            try session.show(dryRun) { would in
                if would.isNothing { return [nothing(would)] }
                var lines = UndoLines(would)
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

    /// The changes, if they were not previewed.
    private func unpreviewed(_ answer: M.Output, _ session: Session) -> [String] {
        guard consent.yes, answer.changes != nil else { return [] }
        var lines = UndoLines(answer)
        lines.nameTodos(session.client, at: answer.moment)
        return lines.details(isDryRun: false, paint: session.paint).map { "  " + $0 }
    }

    private func carryOut(_ would: M.Output, _ session: Session) throws(Failure) {
        try session.show(M.self, input(would)) { answer in
            // Another client may have made the same change since the preview.
            guard let step = answer.step else { return [nothing(answer)] }
            let held = session.held(answer.commands, since: step)
            return [done(answer)] + unpreviewed(answer, session) + held + session.undoHint(step)
        }
    }
}

extension UndoMethod.Output {
    /// Whether there is nothing to change.
    var isNothing: Bool { changes?.isEmpty == true && commands.isEmpty }
    /// The moment that is restored; `nil` for all but a revert.
    var moment: Point? { target.map { Point(sequence: $0) } }
}

extension Consent {
    /// The outcome that a person agreed to; `nil` for consent in advance, which agrees to any outcome.
    func outcome(shown would: UndoMethod.Output?) -> String? { yes ? nil : would?.outcome }
}

import Chronicle

extension TestStore {
    func compare(_ actions: [App.Action], with logging: [App.Action]?, sent: App.Action, at place: IssuePlace) {
        if let logging {
            guard actions != logging else { return }
            place.report("Other actions were logged than expected:\n\n" + Difference.text(expected: logging, actual: actions))
        } else if exhaustivity.includes(scopes: App.scopes(of: sent), of: App.scopes), actions != [sent] {
            place.report(
                "Other actions were logged than the one sent; say which with `logging:`.\n\n"
                    + Difference.text(expected: [sent], actual: actions))
        }
    }

    func compare(
        from before: App.State, after action: App.Action, at place: IssuePlace, _ changes: ((inout App.State) throws -> Void)?
    ) {
        if exhaustivity != .on, !exhaustivity.isOff { return compareParts(from: before, after: action, at: place, changes) }
        var expected = exhaustivity == .on ? before : state
        do {
            try changes?(&expected)
        } catch {
            place.report("The closure that changes the state threw: \(error)")
            return
        }
        guard expected != state else { return }
        let title =
            changes == nil
            ? "The state changed, and the test does not say how, after:"
            : "The state is not as expected after:"
        place.report("\(title)\n\n\(Difference.list([action]))\n\n\(Difference.text(expected: expected, actual: state))")
    }

    /// Compares the exhaustive parts with the state before, and the rest with the state after.
    private func compareParts(
        from before: App.State, after action: App.Action, at place: IssuePlace, _ changes: ((inout App.State) throws -> Void)?
    ) {
        let unknown = exhaustivity.unknown(to: App.scopes)
        guard unknown.isEmpty else {
            return place.report(
                "There is no part named \(unknown.joined(separator: ", ")); there are \(App.scopes.joined(separator: ", ")).")
        }
        var (expected, settled) = (before, state)
        do {
            try changes?(&expected)
            try changes?(&settled)
        } catch {
            return place.report("The closure that changes the state threw: \(error)")
        }
        guard let missed = App.changes(from: expected, to: state, limit: .max),
            let wrong = App.changes(from: settled, to: state, limit: .max)
        else { return place.report("This feature does not tell its changes, so its parts can't be told apart.") }
        let unsaid = exhaustivity.split(missed).said + exhaustivity.split(wrong).free
        guard !unsaid.isEmpty else { return }
        let title =
            changes == nil
            ? "The state changed where everything must be said, and the test does not say how, after:"
            : "The state is not as expected after:"
        place.report(
            "\(title)\n\n\(Difference.list([action]))\n\n"
                + Difference.indented(DebugLines.lines(of: unsaid).joined(separator: "\n")) + "\n\n(- expected, + actual)")
    }

    func reportRest(_ when: String, at place: IssuePlace) {
        guard !exhaustivity.isOff else { return }
        let returned = returned.filter { exhaustivity.includes($0.command) }
        let awaited = awaited.filter { exhaustivity.includes($0) }
        if !returned.isEmpty {
            place.report(
                "\(when) \(counted(returned.count)) not expected; say so with `expect`:\n\n\(Difference.list(returned.map(\.command)))"
            )
        }
        if !awaited.isEmpty {
            place.report(
                """
                \(when) \(counted(awaited.count)) not answered; use `receive`, `run`, `fail`, `cancel` or `close`:

                \(Difference.list(awaited))
                """)
        }
        let sleepers = isFinished ? [] : clock.dues
        if !sleepers.isEmpty {
            let rest = sleepers.map { "    due in \(clock.now.duration(to: $0))" }.joined(separator: "\n")
            place.report("\(when) \(sleepers.count == 1 ? "1 task is" : "\(sleepers.count) tasks are") asleep:\n\n\(rest)")
        }
    }

    private func counted(_ commands: Int) -> String { commands == 1 ? "1 command was" : "\(commands) commands were" }
}

public import Chronicle

extension TestStore {
    /// Asserts the next commands that reducers returned, in order.
    ///
    /// Presentational commands (`isPresentational`), pure cancellations and displaced commands have ended with that. All others must be
    /// ended by `receive`, `run`, `fail`, `cancel` or `close`. With exhaustivity off, earlier commands may be skipped.
    public func expect(
        _ commands: App.Command...,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        for command in commands { expect(command, at: place) }
    }

    /// Asserts that no command was returned that the test has not mentioned yet.
    public func expectNoCommands(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        guard !returned.isEmpty else { return }
        IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
            .report("No command should be returned, but these were:\n\n" + Difference.list(returned.map(\.command)))
    }

    /// Returns the result of an expected command: an event, which passes through `prepare` and `reduce`.
    /// - Parameters:
    ///   - command: the command; may be omitted if all awaited commands are equal.
    ///   - logging: the actions that `prepare` must return, if not just the event itself.
    public func receive(
        _ fact: App.Action, answering command: App.Command? = nil, logging: [App.Action]? = nil,
        _ changes: ((inout App.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        guard let command = command ?? onlyAwaited(at: place), end(command, at: place) else { return }
        accept(fact, logging: logging, at: place, changes)
    }

    /// Ends an expected command that succeeded without a result.
    public func close(
        _ command: App.Command,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        _ = end(command, at: IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    private func expect(_ command: App.Command, at place: IssuePlace) {
        guard let first = returned.first?.command else {
            place.report("No command is left, but this was expected:\n\n" + Difference.list([command]))
            return
        }
        guard let index = returned.firstIndex(where: { $0.command == command }) else {
            place.report("The next command is not as expected:\n\n" + Difference.text(expected: command, actual: first))
            return
        }
        let passedOver = returned[..<index].map(\.command).filter { exhaustivity.includes($0) }
        if !passedOver.isEmpty {
            place.report(
                """
                This command was expected:

                \(Difference.list([command]))

                It was returned, but after:

                \(Difference.list(passedOver))
                """)
        }
        let isOver = returned.remove(at: index).isOver
        if !isOver, !command.isPresentational, !command.policy.isCancellation { awaited.append(command) }
    }

    func onlyAwaited(at place: IssuePlace) -> App.Command? {
        guard let first = awaited.first else {
            let hint =
                returned.isEmpty
                ? "" : " These were returned, but not expected yet:\n\n" + Difference.list(returned.map(\.command))
            place.report("No command awaits an answer." + hint)
            return nil
        }
        guard awaited.allSatisfy({ $0 == first }) else {
            place.report("Several commands await an answer; choose one with `answering:`.\n\n" + Difference.list(awaited))
            return nil
        }
        return first
    }

    func end(_ command: App.Command, at place: IssuePlace) -> Bool {
        if let index = awaited.firstIndex(of: command) {
            awaited.remove(at: index)
            return true
        }
        let reason =
            returned.contains { $0.command == command && !$0.isOver }
            ? "It was not expected yet; call `expect` first." : "It is not open."
        place.report("This command does not await an answer. \(reason)\n\n" + Difference.list([command]))
        return false
    }
}

public import Chronicle

extension TestStore {
    /// Ends an expected command as failed for good; the actions of `Feature.ended` are logged, with `logging` and `changes` as in `send`.
    public func fail(
        _ reason: String, answering command: App.Command? = nil, logging: [App.Action]? = nil,
        _ changes: ((inout App.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        end(command, .failed(reason), logging: logging, at: place, changes)
    }

    /// Cancels an expected command, as an action or a person would; see `fail`.
    public func cancel(
        _ command: App.Command? = nil, logging: [App.Action]? = nil, _ changes: ((inout App.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        end(command, .cancelled, logging: logging, at: place, changes)
    }

    /// Skips an expected command, as a person would; see `fail`.
    public func skip(
        _ command: App.Command? = nil, logging: [App.Action]? = nil, _ changes: ((inout App.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        end(command, .skipped, logging: logging, at: place, changes)
    }

    /// Parks an expected command, which still must be ended; see `fail`.
    public func park(
        _ reason: String, answering command: App.Command? = nil, logging: [App.Action]? = nil,
        _ changes: ((inout App.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        guard let command = command ?? onlyAwaited(at: place), end(command, at: place) else { return }
        awaited.append(command)
        tell(command, .parked(reason), logging: logging, at: place, changes)
    }

    func end(
        _ command: App.Command?, _ end: CommandEnd, logging: [App.Action]?, at place: IssuePlace,
        _ changes: ((inout App.State) throws -> Void)?
    ) {
        guard let command = command ?? onlyAwaited(at: place), self.end(command, at: place) else { return }
        tell(command, end, logging: logging, at: place, changes)
    }

    func tell(
        _ command: App.Command, _ end: CommandEnd, logging: [App.Action]?, at place: IssuePlace,
        _ changes: ((inout App.State) throws -> Void)?
    ) {
        if let fact = App.ended(command, end) { return accept(fact, logging: logging, at: place, changes) }
        guard changes != nil || logging?.isEmpty == false else { return }
        place.report("The feature returns no action for this end (\(end)):\n\n" + Difference.list([command]))
    }

    /// Records a command that a reducer returned, and ends the ones it displaces.
    func take(_ command: App.Command) {
        defer { returned.append(Returned(command: command)) }
        let policy = command.policy
        guard !command.isPresentational, let (cancelID, end) = policy.displacement else { return }
        let isMeant = { (other: App.Command) in
            !other.isPresentational && !other.policy.isCancellation && other.policy.cancelID?.hasSameBytes(as: cancelID) == true
        }
        // Expected commands are older than the others.
        displaced += awaited.filter(isMeant).map { ($0, end) }
        awaited.removeAll(where: isMeant)
        for index in returned.indices where !returned[index].isOver && isMeant(returned[index].command) {
            returned[index].isOver = true
            displaced.append((returned[index].command, end))
        }
    }
}

public import Chronicle
import ChronicleLog
import ChronicleStore

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
        guard let requested = take(command, at: place) else { return }
        receive(fact, for: requested, logging: logging, at: place, changes)
    }

    /// Ends an expected command that succeeded without a result.
    public func close(
        _ command: App.Command,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        guard let requested = take(command, at: place) else { return }
        finishAttempt(requested, .end(requested.id, nil), at: place)
    }

    /// Ends an expected command as failed for good; the actions of `Feature.ended` are logged, with `logging` and `changes` as in `send`.
    public func fail(
        _ reason: String, answering command: App.Command? = nil, logging: [App.Action]? = nil,
        _ changes: ((inout App.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        guard let requested = take(command, at: place) else { return }
        end(requested, .fail(requested.id, reason: reason), as: .failed(reason), logging: logging, at: place, changes)
    }

    /// Cancels an expected command, as an action or a person would; see `fail`.
    public func cancel(
        _ command: App.Command? = nil, logging: [App.Action]? = nil, _ changes: ((inout App.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        guard let requested = take(command, at: place) else { return }
        end(requested, .cancel(requested.id, by: origin), as: .cancelled, logging: logging, at: place, changes)
    }

    /// Skips an expected command, as a person would; see `fail`.
    public func skip(
        _ command: App.Command? = nil, logging: [App.Action]? = nil, _ changes: ((inout App.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        guard let requested = take(command, at: place) else { return }
        end(requested, .skip(requested.id, by: origin), as: .skipped, logging: logging, at: place, changes)
    }

    /// Parks an expected command, which still must be ended; see `fail`.
    public func park(
        _ reason: String, answering command: App.Command? = nil, logging: [App.Action]? = nil,
        _ changes: ((inout App.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        guard let requested = take(command, at: place) else { return }
        expected.append(requested)
        end(requested, .park(requested.id, reason: reason), as: .parked(reason), logging: logging, at: place, changes)
    }

    /// Runs an expected command with a target, in the virtual time of `clock`, and receives its result.
    ///
    /// While the target sleeps on the clock or has postponed the command, the clock advances to the due time. A failure ends the command,
    /// like that of a last attempt.
    /// - Parameters:
    ///   - command: may be omitted if all awaited commands are equal.
    ///   - time: the exact time that the target must take; `nil`: any.
    public func run<Target: CommandTarget>(
        _ command: App.Command? = nil, on target: Target, attempt: Int = 1, taking time: Duration? = nil,
        logging: [App.Action]? = nil, _ changes: ((inout App.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async where Target.Command == App.Command, Target.Action == App.Action {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        guard let requested = take(command, at: place) else { return }
        let command = requested.command
        var ticket = CommandTicket(id: "test/1/0", attempt: attempt, input: App.input(for: command, in: state))
        let start = clock.now
        var (result, elapsed) = await Self.perform(command, ticket, target, clock)
        while case .failure(let failure) = result, let wait = failure.wait, ticket.waits < CommandTicket.waitsMax {
            ticket.waits += 1
            clock.advance(by: wait)
            (result, elapsed) = await Self.perform(command, ticket, target, clock)
        }
        let whole = start.duration(to: clock.now)
        if let time, whole != time { place.report("It took \(whole) instead of \(time):\n\n" + Difference.list([command])) }
        if elapsed > command.policy.timeout {
            place.report("It took \(elapsed), longer than one attempt may take:\n\n" + Difference.list([command]))
        }
        switch result {
        case .success(let fact?): receive(fact, for: requested, logging: logging, at: place, changes)
        case .success(nil):
            finishAttempt(requested, .end(requested.id, nil), at: place)
            guard changes != nil || logging?.isEmpty == false else { return }
            place.report("The target returned nothing:\n\n" + Difference.list([command]))
        case .failure(let failure):
            let order = CommandOrder<App.Action>.fail(requested.id, reason: failure.reason)
            end(requested, order, as: .failed(failure.reason), logging: logging, at: place, changes)
        }
    }

    private static func perform<Target: CommandTarget>(
        _ command: App.Command, _ ticket: CommandTicket, _ target: Target, _ clock: TestClock
    ) async -> (Result<App.Action?, CommandFailure>, Duration)
    where Target.Command == App.Command, Target.Action == App.Action {
        let start = clock.now
        return await withTaskGroup(of: Result<App.Action?, CommandFailure>?.self) { group in
            group.addTask {
                do throws(CommandFailure) {
                    return .success(try await target.perform(command, ticket))
                } catch {
                    return .failure(error)
                }
            }
            addSleepWatch(to: &group, clock)
            while let next = await group.next() {
                if let result = next {
                    group.cancelAll()
                    return (result, start.duration(to: clock.now))
                }
                clock.advanceToNext()
                addSleepWatch(to: &group, clock)
            }
            return (.failure(CommandFailure("the target gave no answer")), start.duration(to: clock.now))
        }
    }

    // Returns `nil` once a task sleeps.
    private static func addSleepWatch<Outcome: Sendable>(to group: inout TaskGroup<Outcome?>, _ clock: TestClock) {
        group.addTask {
            try? await clock.sleeping(1)
            return nil
        }
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
        expected.append(returned.remove(at: index))
    }

    /// Removes and returns an expected command that has not ended, or reports a failure; `nil` stands for the only one.
    func take(_ command: App.Command?, at place: IssuePlace) -> Requested? {
        guard let command = command ?? onlyAwaited(at: place) else { return nil }
        if let index = expected.firstIndex(where: { $0.command == command && isOpen($0) }) { return expected.remove(at: index) }
        let reason =
            returned.contains { $0.command == command && isOpen($0) }
            ? "It was not expected yet; call `expect` first." : "It is not open."
        place.report("This command does not await an answer. \(reason)\n\n" + Difference.list([command]))
        return nil
    }

    private func onlyAwaited(at place: IssuePlace) -> App.Command? {
        let commands = awaited.map(\.command)
        guard let first = commands.first else {
            let hint =
                returned.isEmpty
                ? "" : " These were returned, but not expected yet:\n\n" + Difference.list(returned.map(\.command))
            place.report("No command awaits an answer." + hint)
            return nil
        }
        guard commands.allSatisfy({ $0 == first }) else {
            place.report("Several commands await an answer; choose one with `answering:`.\n\n" + Difference.list(commands))
            return nil
        }
        return first
    }

    private func receive(
        _ fact: App.Action, for requested: Requested, logging: [App.Action]?, at place: IssuePlace,
        _ changes: ((inout App.State) throws -> Void)?
    ) {
        let (before, prepared) = (state, prepare(fact, resultContext(of: requested), at: place))
        guard compare(prepared, with: logging, sent: fact, at: place) else { return }
        finishAttempt(requested, .end(requested.id, fact), at: place)
        compare(from: before, after: fact, at: place, changes)
    }

    /// Submits the order that ends or parks a command, and compares the actions and changes of that end.
    func end(
        _ requested: Requested, _ order: CommandOrder<App.Action>, as end: CommandEnd, logging: [App.Action]?,
        at place: IssuePlace, _ changes: ((inout App.State) throws -> Void)?
    ) {
        let (before, fact) = (state, App.ended(requested.command, end))
        if let fact {
            let prepared = prepare(fact, resultContext(of: requested), at: place)
            guard compare(prepared, with: logging, sent: fact, at: place) else { return }
        }
        switch order {
        case .end, .fail: finishAttempt(requested, order, at: place)
        default: submit(order, at: place)
        }
        if let fact { return compare(from: before, after: fact, at: place, changes) }
        guard changes != nil || logging?.isEmpty == false else { return }
        place.report("The feature returns no action for this end (\(end)):\n\n" + Difference.list([requested.command]))
    }
}

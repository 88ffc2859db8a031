public import Chronicle

extension TestStore {
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
        guard let command = command ?? onlyAwaited(at: place), end(command, at: place) else { return }
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
        case .success(let fact?): accept(fact, logging: logging, at: place, changes)
        case .success(nil):
            guard changes != nil || logging?.isEmpty == false else { return }
            place.report("The target returned nothing:\n\n" + Difference.list([command]))
        case .failure(let failure): tell(command, .failed(failure.reason), logging: logging, at: place, changes)
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
}

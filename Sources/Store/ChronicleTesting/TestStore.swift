public import Chronicle

/// A store for tests: no disk, no threads, no real time, and every effect of an action must be asserted.
///
/// `send` runs `prepare`, then `reduce` for each returned action, as the real store does. Unasserted effects fail the test: a change of the
/// state, an action logged in place of the one sent, a command that was not expected or ended. Call `finish()` at the end; a store that is
/// released with open commands fails as well.
///
/// ```swift
/// let store = TestStore(Todos.State(), of: Todos.self)
/// store.send(.load) { $0.loading = true }
/// store.expect(.load)
/// store.receive(.loaded(["Buy the milk"])) {
///     $0.loading = false
///     $0.items = ["Buy the milk"]
/// }
/// store.finish()
/// ```
public final class TestStore<App: Feature> {
    public struct Entry: Sendable, Equatable {
        /// The action that `prepare` returned.
        public let action: App.Action
        public let context: Context
    }

    /// The state after all logged actions.
    public private(set) var state: App.State
    public private(set) var logged: [Entry] = []
    /// The clock for the time of each context.
    public let clock: TestClock
    /// The uid of the sender of the next actions.
    public var origin: UInt32
    /// Which effects the test must assert; all by default.
    public var exhaustivity: Exhaustivity = .on

    struct Returned {
        var command: App.Command
        var isOver = false
    }

    /// Commands that reducers returned and the test has not mentioned, oldest first.
    var returned: [Returned] = []
    var awaited: [App.Command] = []
    /// Displaced or cancelled commands and how they ended; their ends follow the action's own records.
    var displaced: [(command: App.Command, end: CommandEnd)] = []
    let birthplace: IssuePlace

    /// - Parameter clock: the test's own clock, if code around the store sleeps on one.
    public init(
        _ state: App.State, of app: App.Type = App.self, clock: TestClock = TestClock(), origin: UInt32 = Context.test.origin,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        self.state = state
        self.clock = clock
        self.origin = origin
        birthplace = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        do throws(CodingMistake) { try App.checkCodings() } catch { birthplace.report(error.message) }
    }

    deinit { reportRest("The store was released without `finish()`, and", at: birthplace) }

    /// The context of the last logged action (in the closure of a `send`, of the one just logged), or of the first one to come.
    public var context: Context { logged.last?.context ?? nextContext() }

    /// Dispatches an action and asserts its effects.
    /// - Parameters:
    ///   - logging: the actions that `prepare` must return, if not just the one sent; empty for none.
    ///   - changes: turns the state before into the state after; without it, the state must not change. With exhaustivity off, it gets the
    ///     state after and must not change it, so assign plain values.
    public func send(
        _ action: App.Action, logging: [App.Action]? = nil, _ changes: ((inout App.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        accept(validate(action, at: place), of: action, logging: logging, at: place, changes)
    }

    /// Dispatches an action that must be refused.
    /// - Parameters:
    ///   - command: the expected command whose result the action is; the refusal ends it as failed.
    ///   - changes: the changes by that end, as in `send`.
    public func refuse(
        _ action: App.Action, name: String, answering command: App.Command? = nil,
        _ changes: ((inout App.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        if let command, !end(command, at: place) { return }
        let prepared = command == nil ? validate(action, at: place) : prepare(action, nextContext(), at: place)
        switch prepared {
        case .success(let actions):
            place.report(
                """
                This action should be refused as \(name), but it was accepted:

                \(Difference.list([action]))

                It would have logged:

                \(Difference.list(actions))
                """)
        case .failure(let refusal) where refusal.name != name:
            place.report(
                "This action should be refused as \(name), but it was refused as \(refusal.name): \(refusal.message)\n\n"
                    + Difference.list([action]))
        case .failure(let refusal):
            if let command { tell(command, .failed(refusal.message), logging: nil, at: place, changes) }
        }
    }

    /// Ends the test: every command must have been expected and have ended, and no task may sleep on the clock.
    public func finish(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        reportRest("At the end", at: IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column))
        returned = []
        awaited = []
        isFinished = true
    }

    // A sleeper belongs to the clock and outlives `finish`; without this flag it would be reported twice.
    var isFinished = false

    func accept(
        _ action: App.Action, logging: [App.Action]?, at place: IssuePlace, _ changes: ((inout App.State) throws -> Void)?
    ) {
        accept(prepare(action, nextContext(), at: place), of: action, logging: logging, at: place, changes)
    }

    private func accept(
        _ prepared: Result<[App.Action], Refusal>, of action: App.Action, logging: [App.Action]?, at place: IssuePlace,
        _ changes: ((inout App.State) throws -> Void)?
    ) {
        isFinished = false
        let before = state
        switch prepared {
        case .failure(let refusal):
            place.report("This action was refused as \(refusal.name): \(refusal.message)\n\n" + Difference.list([action]))
            return
        case .success(let actions):
            compare(actions, with: logging, sent: action, at: place)
            for action in actions { fold(action, at: place) }
            endDisplaced(at: place)
        }
        compare(from: before, after: action, at: place, changes)
    }
}

// Two tasks that send would have a random order.
@available(*, unavailable)
extension TestStore: Sendable {}

extension TestStore {
    /// Strictly later than the last record, as in the real store: two actions at one instant differ by a microsecond.
    private func nextContext() -> Context {
        let now = clock.microseconds
        let time = logged.last.map { max(now, $0.context.time + 1) } ?? now
        return Context(time: time, origin: origin)
    }

    /// The result of a client's dispatch, which can't contain events of commands.
    private func validate(_ action: App.Action, at place: IssuePlace) -> Result<[App.Action], Refusal> {
        guard App.kind(of: action) != .event else {
            return .failure(Refusal("FactNotAllowed", "The result of a command comes only from its end; use `receive`."))
        }
        return prepare(action, nextContext(), at: place)
    }

    // A later command displaces earlier ones of its cancel id; their ends follow, as in the log.
    private func endDisplaced(at place: IssuePlace) {
        while !displaced.isEmpty {
            let (command, end) = displaced.removeFirst()
            guard let fact = App.ended(command, end) else { continue }
            for action in (try? prepare(fact, nextContext(), at: place).get()) ?? [] { fold(action, at: place) }
        }
    }

    private func prepare(_ action: App.Action, _ context: Context, at place: IssuePlace) -> Result<[App.Action], Refusal> {
        let prepared = { Result { () throws(Refusal) in try App.prepare(action, self.state, context) } }
        let (first, second) = (prepared(), prepared())
        if first != second {
            place.report(
                "`prepare` gave two results for one action, so it reads something besides its arguments:\n\n"
                    + Difference.text(expected: first, actual: second))
        }
        return first
    }

    private func fold(_ action: App.Action, at place: IssuePlace) {
        for command in reduce(action, nextContext(), at: place) { take(command) }
    }

    func reduce(_ action: App.Action, _ context: Context, at place: IssuePlace) -> [App.Command] {
        var (first, second) = (state, state)
        let commands = App.reduce(&first, action, context)
        let again = App.reduce(&second, action, context)
        if first != second || commands != again {
            place.report(
                "`reduce` gave two results for one action, so it reads something besides its arguments:\n\n"
                    + (first != second
                        ? Difference.text(expected: first, actual: second)
                        : Difference.text(expected: commands, actual: again)))
        }
        for coded in [action] + commands as [Any] {
            guard let fault = (coded as? any CanonicalCodable & Equatable)?.readBackFault else { continue }
            place.report(fault)
        }
        state = first
        logged.append(Entry(action: action, context: context))
        return commands
    }
}

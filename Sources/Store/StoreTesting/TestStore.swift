public import Reducing

/// A store for tests: no disk, no thread, no real time, and every effect of an action must be said.
///
/// A `send` runs `prepare`, then `reduce` for each action that it returned, as the real store does. What the test
/// does not say fails it: a change of the state, an action logged in place of the one sent, a command that was not
/// expected or not answered. Call `finish()` at the end; a store that is let go with something open fails as well.
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
    /// An action as the log would hold it.
    public struct Entry: Sendable, Equatable {
        /// What `prepare` returned.
        public let action: App.Action
        /// What the reducer was given with it.
        public let context: Context
    }

    /// The state after all that was logged.
    public private(set) var state: App.State
    /// What was logged, in order.
    public private(set) var logged: [Entry] = []
    /// Where the time of each context comes from.
    public let clock: TestClock
    /// The uid for whom the next actions are dispatched.
    public var origin: UInt32
    /// Whether what the test does not say fails it; on at first.
    public var exhaustivity: Exhaustivity = .on

    /// A command that a reducer returned.
    struct Returned {
        var command: App.Command
        /// Whether it has ended already, because a later one took its place.
        var isOver = false
    }

    /// Commands that reducers returned and the test has not mentioned, oldest first.
    var returned: [Returned] = []
    /// Commands that the test expected and that have not ended, oldest first.
    var awaited: [App.Command] = []
    /// Those whose place a later one took, or that one took back, and how; their ends come after the action's own records.
    var displaced: [(command: App.Command, end: CommandEnd)] = []
    let birthplace: IssuePlace

    /// Makes a store with a state that no action led to.
    ///
    /// - Parameters:
    ///   - clock: a clock of the test's own, if the code around the store sleeps on one.
    ///   - origin: the uid for whom actions are dispatched.
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

    deinit {
        reportRest("The store was let go without `finish()`, and", at: birthplace)
    }

    /// What the last logged action was reduced with; before the first, what it would be.
    ///
    /// In the closure of a `send` its time is that of the record just written.
    public var context: Context { logged.last?.context ?? nextContext() }

    /// Dispatches an action and asserts what it does.
    ///
    /// - Parameters:
    ///   - logging: the actions that `prepare` is to return, where they are not just the one sent; empty for none.
    ///   - changes: makes of the state before the state after. Left out: the state must not change. With exhaustivity
    ///     off it is given the state after and must not find anything to change in it, so let it assign plain values.
    public func send(
        _ action: App.Action, logging: [App.Action]? = nil, _ changes: ((inout App.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        accept(validate(action, at: place), of: action, logging: logging, at: place, changes)
    }

    /// Dispatches an action that must be refused.
    ///
    /// - Parameters:
    ///   - name: the name of the refusal.
    ///   - command: the expected command that brings the action back as its result; the refusal ends it as failed.
    ///   - changes: what that end makes of the state; as in `send`.
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
                This action was to be refused as \(name), but it was accepted:

                \(Difference.list([action]))

                It would have logged:

                \(Difference.list(actions))
                """)
        case .failure(let refusal) where refusal.name != name:
            place.report(
                "This action was to be refused as \(name), but it was refused as \(refusal.name): \(refusal.message)\n\n"
                    + Difference.list([action]))
        case .failure(let refusal):
            if let command { tell(command, .failed(refusal.message), logging: nil, at: place, changes) }
        }
    }

    /// Ends the story: every command must have been expected and have ended, and nobody may sleep on the clock.
    public func finish(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        reportRest("At the end", at: IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column))
        returned = []
        awaited = []
        isFinished = true
    }

    // A sleeper is the clock's and outlives `finish`; without this it would be reported a second time.
    var isFinished = false

    /// One action, from `prepare` to the comparison of states.
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

// A story has one teller; two tasks that send would make its order a matter of luck.
@available(*, unavailable)
extension TestStore: Sendable {}

extension TestStore {
    /// Strictly later than the last record, as in the real store: two actions at one instant differ by a microsecond.
    private func nextContext() -> Context {
        let now = clock.microseconds
        let time = logged.last.map { max(now, $0.context.time + 1) } ?? now
        return Context(time: time, origin: origin)
    }

    /// What a client's dispatch comes to; a fact can only come from a command.
    private func validate(_ action: App.Action, at place: IssuePlace) -> Result<[App.Action], Refusal> {
        guard App.nature(of: action) != .fact else {
            return .failure(
                Refusal("FactNotAllowed", "What a command brings back comes from its end alone; use `receive`."))
        }
        return prepare(action, nextContext(), at: place)
    }

    // A later command takes the place of those of its name; their ends follow, as they do in the log.
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

    /// Changes the state as a logged action does; gives the commands that it asks for.
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

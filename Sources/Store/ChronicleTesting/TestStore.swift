public import Chronicle
import ChronicleLog
import ChronicleStore

/// A store for tests: no disk, no threads, no real time, and every effect of an action must be asserted.
///
/// The rules are those of the real store, over a log in memory. Unasserted effects fail the test: a change of the state, an action logged
/// in place of the one sent, a command that was not expected or ended. Call `finish()` at the end; a store that is released with open
/// commands fails as well.
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
public final class TestStore<App: Feature> where App.Command: CanonicalCodable {
    public struct Entry: Sendable, Equatable {
        /// The action that `prepare` returned.
        public let action: App.Action
        public let context: Context
    }

    struct Requested {
        var command: App.Command
        var id: CommandID
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

    private var store: ImmediateStore<App>
    /// Commands that reducers returned and the test has not mentioned, oldest first.
    var returned: [Requested] = []
    /// Commands that the test expected, oldest first; some may have ended since.
    var expected: [Requested] = []
    // A sleeper belongs to the clock and outlives `finish`; without this flag it would be reported twice.
    var isFinished = false
    let birthplace: IssuePlace

    /// - Parameter clock: the test's own clock, if code around the store sleeps on one.
    public init(
        _ state: App.State, of app: App.Type = App.self, clock: TestClock = TestClock(), origin: UInt32 = Context.test.origin,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        (self.state, self.clock, self.origin) = (state, clock, origin)
        birthplace = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        let options = StoreOptions(
            clock: StoreClock(clock) { clock.microseconds }, freeBytesMin: 0, commandsPerMinuteMax: .max)
        do throws(StoreError) {
            store = try ImmediateStore(state, log: InMemoryActionLog(), options: options)
        } catch {
            preconditionFailure("an empty log in memory can't be opened: \(error)")
        }
        do throws(CodingMistake) { try App.checkCodings() } catch { birthplace.report(error.message) }
    }

    deinit { reportRest("The store was released without `finish()`, and", at: birthplace) }

    /// The context of the last logged action (in the closure of a `send`, of the one just logged), or of the first one to come.
    public var context: Context { logged.last?.context ?? Context(time: store.nextTime, origin: origin) }

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
        isFinished = false
        let before = state
        guard compare(validate(action, at: place), with: logging, sent: action, at: place) else { return }
        // The store stops the program at such an action.
        if let fault = action.readBackFault { return place.report(fault) }
        // The sender of an action with an index saw the present order.
        let indexed = App.indexedScope(of: action)
        let scope = indexed.isEmpty ? nil : indexed.rawValue.trailingZeroBitCount
        let dispatch = Dispatch(
            [action], origin: origin, expectedSequence: indexed.isEmpty ? nil : store.sequence, scope: scope)
        log(at: place) { store throws(StoreError) in try store.dispatch(dispatch) }
        compare(from: before, after: action, at: place, changes)
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
        var requested: Requested?
        if let command {
            requested = take(command, at: place)
            if requested == nil { return }
        }
        let prepared = requested.map { prepare(action, resultContext(of: $0), at: place) } ?? validate(action, at: place)
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
            guard let requested else { return }
            end(requested, .end(requested.id, action), as: .failed(refusal.message), logging: nil, at: place, changes)
        }
    }

    /// Ends the test: every command must have been expected and have ended, and no task may sleep on the clock.
    public func finish(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        reportRest("At the end", at: IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column))
        returned = []
        expected = []
        isFinished = true
    }
}

// Two tasks that send would have a random order.
@available(*, unavailable)
extension TestStore: Sendable {}

extension TestStore {
    func isOpen(_ requested: Requested) -> Bool { store.command(requested.id) != nil }

    /// The expected commands that have not ended.
    var awaited: [Requested] { expected.filter(isOpen) }

    /// Starts an attempt at a command, parked or not, and submits its outcome.
    func finishAttempt(_ requested: Requested, _ order: CommandOrder<App.Action>, at place: IssuePlace) {
        guard let row = store.command(requested.id)?.row else { return }
        if row.stage == .parked { submit(.retry(row.id, by: origin), at: place) }
        submit(.begin(row.id, attempt: row.attempts + 1), at: place)
        submit(order, at: place)
    }

    func submit(_ order: CommandOrder<App.Action>, at place: IssuePlace) {
        log(at: place) { store throws(StoreError) in try store.submit(order) }
    }

    private func log(
        at place: IssuePlace, _ body: (inout ImmediateStore<App>) throws(StoreError) -> [LoggedRecord<App>]
    ) {
        isFinished = false
        do throws(StoreError) {
            for record in try body(&store) {
                guard let action = record.action else { continue }
                let header = record.header
                let commands = reduce(action, Context(time: header.time, origin: header.origin), at: place)
                returned += commands.enumerated().map {
                    Requested(command: $0.element, id: CommandID(sequence: header.sequence, index: UInt32($0.offset)))
                }
            }
        } catch {
            place.report("The store refused it: \(error)")
        }
    }

    /// Folds a record of another log; see `fold(_:_:time:origin:asking:changing:)`.
    func replay(_ action: App.Action, time: Int64, origin: UInt32, at place: IssuePlace) -> [App.Command] {
        do throws(StoreError) { try store.replay(action, time: time, origin: origin) } catch {
            place.report("The store refused it: \(error)")
        }
        return reduce(action, Context(time: time, origin: origin), at: place)
    }

    /// The result of a client's dispatch, which can't contain events of commands.
    private func validate(_ action: App.Action, at place: IssuePlace) -> Result<[App.Action], Refusal> {
        guard App.kind(of: action) != .event else {
            return .failure(Refusal("FactNotAllowed", "The result of a command comes only from its end; use `receive`."))
        }
        return prepare(action, Context(time: store.nextTime, wallTime: clock.microseconds, origin: origin), at: place)
    }

    /// The context in which the store prepares the result of a command.
    func resultContext(of requested: Requested) -> Context {
        Context(time: store.nextTime, origin: store.command(requested.id)?.row.origin ?? origin)
    }

    func prepare(_ action: App.Action, _ context: Context, at place: IssuePlace) -> Result<[App.Action], Refusal> {
        let prepared = { Result { () throws(Refusal) in try App.prepare(action, self.state, context) } }
        let (first, second) = (prepared(), prepared())
        if first != second {
            place.report(
                "`prepare` gave two results for one action, so it reads something besides its arguments:\n\n"
                    + Difference.text(expected: first, actual: second))
        }
        return first
    }

    private func reduce(_ action: App.Action, _ context: Context, at place: IssuePlace) -> [App.Command] {
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

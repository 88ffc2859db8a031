import Records
public import Reducing
public import StoreRuntime
public import StoreTesting
public import Values

/// A whole app in virtual time: its store, the runner of its commands, and the targets that do their work.
///
/// Nothing happens by itself. A dispatch, and each `advance`, runs what is due in the order of its due time, one thing after
/// the other, until nothing more is due by then: so two runs of the same test leave equal logs, and a day takes milliseconds. Whatever
/// waits for a time comes by it: timers, debounce, throttle, retries, timeouts, what a target puts off or sleeps on `clock`.
///
/// A target may do real work, such as a request to a server on this machine; that is waited for, and takes no virtual time. It may not
/// wait for something that only the test does afterwards: then nobody goes on until the test's time limit.
///
/// ```swift
/// try await withSimulation(App.State(), of: App.self, on: AppTarget(.bundled)) { simulation in
///     try await simulation.dispatch([.todos(.load)])
///     #expect(simulation.state.todos.items.isEmpty)
///     let attempts = try await simulation.advance(by: .seconds(2))
///     #expect(attempts.map(\.elapsed) == [.seconds(2)])
///     #expect(simulation.state.todos.items.count == 3)
/// }
/// ```
public final class Simulation<App: Feature>: Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    /// The app's own store; what is dispatched to it directly is run by the next `advance`.
    public let store: Store<App>
    /// The time, for targets that sleep; only `advance` may move it.
    public let clock: TestClock
    let turns: Turns<App>
    let executor: SteppedExecutor
    private let log: any ActionLog

    init(_ store: Store<App>, over log: any ActionLog, _ turns: Turns<App>, _ executor: SteppedExecutor) {
        self.store = store
        self.log = log
        clock = turns.clock
        self.turns = turns
        self.executor = executor
    }

    /// The state after the last flush.
    public var state: App.State { store.present.state }

    /// Every attempt at a command so far, in the order in which they began.
    public var attempts: [SimulatedAttempt<App>] { turns.attempts }

    /// Dispatches actions as one batch, and runs what is due at this moment.
    ///
    /// - Throws: what `Store.dispatch` throws; `CancellationError`.
    @discardableResult
    public func dispatch(_ actions: [App.Action], origin: UInt32 = 0) async throws -> Acknowledgement<App.Command> {
        try await dispatch(Dispatch(actions, origin: origin))
    }

    /// Dispatches, and runs what is due at this moment.
    ///
    /// - Throws: what `Store.dispatch` throws; `CancellationError`.
    @discardableResult
    public func dispatch(_ dispatch: Dispatch<App.Action>) async throws -> Acknowledgement<App.Command> {
        let answer = try await store.dispatch(dispatch)
        try await settle()
        return answer
    }

    /// Gives an order about a command, as a person does who cancels or retries it, and runs what is due at this moment.
    ///
    /// - Throws: what `Store.submit` throws; `CancellationError`.
    public func submit(_ order: CommandOrder<App.Action>) async throws {
        try await store.submit(order)
        try await settle()
    }

    /// Lets time pass, and runs what becomes due on the way, each at its own moment; tells which attempts began.
    ///
    /// What is due at the same moment runs in the order in which it began to wait.
    @discardableResult
    public func advance(by duration: Duration) async throws(CancellationError) -> [SimulatedAttempt<App>] {
        let count = attempts.count
        let end = clock.now.advanced(by: duration)
        try await settle()
        while let due = clock.dues.first, due <= end {
            clock.wakeFirst()
            try await settle()
        }
        clock.advance(by: clock.now.duration(to: end))
        return Array(attempts[count...])
    }

    /// All records, from the first that the log still has.
    ///
    /// - Throws: what `Store.records` throws.
    public func records() async throws(StoreError) -> [LoggedRecord<App>] {
        var (records, next): ([LoggedRecord<App>], UInt64) = ([], log.first)
        while next <= store.present.sequence {
            let page = try await store.records(from: next, through: store.present.sequence)
            records += page
            next += UInt64(page.count)
        }
        return records
    }

    /// Runs what is due at this moment, until nobody has anything to do.
    func settle() async throws(CancellationError) {
        // Who dispatched has its answer before the runner hears of it.
        await store.probe()
        while !Task.isCancelled {
            switch await step() {
            case .done: break
            case .mustWait: try await executor.nextJob()
            case .isSettled: return
            }
        }
        throw CancellationError()
    }

    /// Runs on until the runner has returned, also if the test is cancelled.
    func finish() async {
        await store.probe()
        while !executor.isFinished {
            if await step() != .done { await executor.nextJobAfterAll() }
        }
    }

    private enum Step {
        case done
        /// A target is at work in the world.
        case mustWait
        case isSettled
    }

    /// Has one thing happen: the tasks that can go on, and then what they brought to the store; or the next target.
    private func step() async -> Step {
        if executor.hasJobs {
            // The store stands still meanwhile: its answers would come between them sooner in one run than in another.
            while !store.hold() { await store.probe() }
            await executor.run()
            store.release()
            await store.probe()
            return .done
        }
        if turns.isWorking { return .mustWait }
        return turns.admitNext() ? .done : .isSettled
    }
}

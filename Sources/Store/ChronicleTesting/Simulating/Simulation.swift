public import Chronicle
public import ChronicleLog
public import ChronicleStore
public import CommandRunning

/// A whole app in virtual time: its store, its command runner, and the targets.
///
/// A dispatch, and each `advance`, runs everything due in order of due times, one event after the other. Two runs of the same test thus
/// leave equal logs, and a day takes milliseconds. All waiting is virtual: timers, debounce, throttle, retries, timeouts, postponed
/// commands, and sleeps on `clock`. A target may do real work, such as a request to a local server; the simulation waits for it without
/// advancing the time. It must not wait for a later step of the test, or both wait until the test's time limit.
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
    /// The app's own store; dispatches to it directly are run by the next `advance`.
    public let store: Store<App>
    /// The clock for targets that sleep; only `advance` may move it.
    public let clock: TestClock
    let turns: SimulationSchedule<App>
    let executor: SteppedExecutor
    private let log: any ActionLog

    init(_ store: Store<App>, over log: any ActionLog, _ turns: SimulationSchedule<App>, _ executor: SteppedExecutor) {
        self.store = store
        self.log = log
        clock = turns.clock
        self.turns = turns
        self.executor = executor
    }

    public var state: App.State { store.present.state }

    /// All attempts so far, in starting order.
    public var attempts: [SimulatedAttempt<App>] { turns.attempts }

    /// Dispatches actions as one batch, and runs everything due now.
    /// - Throws: the errors of `Store.dispatch`; `CancellationError`.
    @discardableResult
    public func dispatch(_ actions: [App.Action], origin: UInt32 = 0) async throws -> DispatchResult<App.Command> {
        try await dispatch(Dispatch(actions, origin: origin))
    }

    /// Dispatches, and runs everything due now.
    /// - Throws: the errors of `Store.dispatch`; `CancellationError`.
    @discardableResult
    public func dispatch(_ dispatch: Dispatch<App.Action>) async throws -> DispatchResult<App.Command> {
        let answer = try await store.dispatch(dispatch)
        try await settle()
        return answer
    }

    /// Submits a command order, as a person does who cancels or retries a command, and runs everything due now.
    /// - Throws: the errors of `Store.submit`; `CancellationError`.
    public func submit(_ order: CommandOrder<App.Action>) async throws {
        try await store.submit(order)
        try await settle()
    }

    /// Advances the time, runs everything that becomes due, each at its own time, and returns the attempts that began.
    ///
    /// Events of the same time run in the order in which they began to wait.
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

    /// All records, from the first one in the log; throws the errors of `Store.records`.
    public func records() async throws(StoreError) -> [LoggedRecord<App>] {
        var (records, next): ([LoggedRecord<App>], UInt64) = ([], log.first)
        while next <= store.present.sequence {
            let page = try await store.records(from: next, through: store.present.sequence)
            records += page
            next += UInt64(page.count)
        }
        return records
    }

    func settle() async throws(CancellationError) {
        while !Task.isCancelled {
            switch await step() {
            case .done: break
            case .mustWait: try await executor.nextJob()
            case .isSettled: return
            }
        }
        throw CancellationError()
    }

    /// Runs until the runner has returned, even if the test is cancelled.
    func finish() async {
        while !executor.isFinished {
            if await step() != .done { await executor.nextJobAfterAll() }
        }
    }

    private enum Step {
        case done
        /// A target is doing real work.
        case mustWait
        case isSettled
    }

    /// Runs one event: the ready tasks and then their calls to the store, or the next target.
    private func step() async -> Step {
        // The store is held, because the timing of its answers would differ between runs.
        await store.hold()
        defer { store.release() }
        if executor.hasJobs {
            await executor.run()
            return .done
        }
        if turns.isWorking { return .mustWait }
        return turns.admitNext() ? .done : .isSettled
    }
}

/// Runs a body with a simulation and ends it afterwards: the runner first, then the store.
/// - Parameters:
///   - target: the target of the commands; must sleep on `clock`.
///   - log: the log; a later simulation on the same log acts as a restart.
///   - wall: the wall clock, for tests that set it; `nil`: it follows `clock`.
///   - store: the options of the store, except the clock.
///   - runner: the options of the runner, except the clock; without jitter by default.
/// - Throws: the errors of the body and of the log.
@discardableResult
public func withSimulation<App: Feature, Target: CommandTarget, Value>(
    _ initial: App.State, of app: App.Type, on target: Target,
    log: any ActionLog = InMemoryActionLog(epoch: 1, storeID: "00000000000000000000000000000000"), clock: TestClock = TestClock(),
    wall: (@Sendable () -> Int64)? = nil, store options: StoreOptions = StoreOptions(freeBytesMin: 0),
    runner runnerOptions: RunnerOptions = RunnerOptions(random: { 0 }),
    _ body: (Simulation<App>) async throws -> Value
) async throws -> Value
where
    App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable,
    Target.Command == App.Command, Target.Action == App.Action
{
    var (options, runnerOptions) = (options, runnerOptions)
    options.clock = StoreClock(clock, wall: wall ?? { clock.microseconds })
    runnerOptions.clock = options.clock
    let store = Store(try RecoveryResult<App>(from: log, initial: initial), log: log, options: options)
    let (turns, executor) = (SimulationSchedule<App>(clock), SteppedExecutor())
    let runner = CommandRunner(
        store: store, target: TurnTarget<App, Target>(target: target, turns: turns), options: runnerOptions)
    let simulation = Simulation(store, over: log, turns, executor)
    let result = await withTaskGroup(of: Void.self) { group in
        group.addTask(executorPreference: executor) {
            // It throws only if the store refuses everything, and then every dispatch throws as well.
            try? await runner.run()
            executor.finish()
        }
        let result: Result<Value, any Error>
        do {
            // Runs the commands that were open in the log.
            try await simulation.settle()
            result = .success(try await body(simulation))
        } catch {
            result = .failure(error)
        }
        group.cancelAll()
        await simulation.finish()
        return result
    }
    await store.stop()
    return try result.get()
}

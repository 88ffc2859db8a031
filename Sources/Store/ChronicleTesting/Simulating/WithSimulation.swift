public import Chronicle
public import ChronicleLog
public import ChronicleStore
public import CommandRunning

/// Runs a body with a simulation and ends it afterwards: the runner first, then the store.
/// - Parameters:
///   - initial: the state at sequence 0.
///   - target: the target of the commands; must sleep on `clock`.
///   - log: the log; a later simulation on the same log acts as a restart.
///   - clock: the time, which only `advance` moves.
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
    let store = Store(try Recovered<App>(from: log, initial: initial), log: log, options: options)
    let (turns, executor) = (Turns<App>(clock), SteppedExecutor())
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
